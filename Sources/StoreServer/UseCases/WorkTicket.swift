import HTTPTransport
import StoreCore
import Synchronization
import Wire

/// A request that is answered when the work that it asks for has begun, or where the client prefers
/// that when all of it is done: a call of a use case, or a notification.
final class WorkTicket<State: Codable & Equatable & Sendable>: Sendable {
    /// The longest time that a client may wait for the work to be done.
    static var waitSecondsMax: Int { 60 }

    /// Tells when the work is done, where the client waits for that.
    let watch: EffectWatch?
    private let exchange: HTTPExchange
    private let store: Store<State>
    private let waitSeconds: Int?
    private let isAnswered = Atomic(false)

    init(_ exchange: HTTPExchange, _ store: Store<State>, _ preferences: Preferences) {
        self.exchange = exchange
        self.store = store
        waitSeconds = preferences.waitSeconds.map { min($0, Self.waitSecondsMax) }
        watch = waitSeconds == nil ? nil : EffectWatch()
    }

    func begun(_ result: Result<Void, any Error>) {
        if case .failure(let error) = result {
            answer(refused(error))
            return
        }
        guard let watch, let waitSeconds else {
            answer(response(202, isCompleted: false))
            return
        }
        store.schedule(after: UInt64(waitSeconds)) { [self] in
            answer(response(202, isCompleted: false))
        }
        watch.whenDone { [self] result in
            if case .failure(let error) = result {
                let reason = (error as? Refusal)?.reason ?? "\(error)"
                let tag = store.publisher.snapshot.tag
                answer(
                    Problem.workFailed(newest: tag, because: reason).response(for: RequestID.next())
                )
            } else {
                answer(response(200, isCompleted: true))
            }
        }
    }

    private func answer(_ response: @autoclosure () -> HTTPResponse) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        exchange.complete(response())
        store.wake()
    }

    private func refused(_ error: any Error) -> HTTPResponse {
        let problem: Problem =
            if let refusal = error as? Refusal {
                .refused(reason: refusal.reason)
            } else {
                .draining()
            }
        return problem.response(for: RequestID.next())
    }

    private func response(_ status: Int, isCompleted: Bool) -> HTTPResponse {
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let applied = Preferences.applied(returned: nil, waitSeconds: waitSeconds) {
            headers.append(("Preference-Applied", applied))
        }
        let tag = store.publisher.snapshot.tag
        var json = JSONWriter()
        json.object { json in
            json.member("epoch", tag.epoch.description)
            json.member("version", tag.version)
            json.member("completed", isCompleted)
        }
        return HTTPResponse(status: status, headers: headers, body: .bytes(json.array))
    }
}
