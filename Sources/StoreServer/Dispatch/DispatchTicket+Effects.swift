import HTTPTransport
import StoreCore
import Synchronization
import Wire

extension DispatchTicket {
    /// Answers when all that follows the action is done, or when the client's time is over: whichever
    /// comes first (protocol 2.6).
    ///
    /// Nothing follows most actions. Their answers go with those of the batch, without a timer.
    func waitForEffects(
        _ watch: EffectWatch,
        _ first: UInt64,
        _ last: UInt64,
        _ changed: Bool
    ) {
        guard !watch.isDone else {
            watch.whenDone { [self] in exchange.complete(done(first, last, changed, $0)) }
            return
        }
        let seconds = min(preferences.waitSeconds ?? 0, Self.waitSecondsMax)
        let timer = store.schedule(after: Double(seconds)) { [self] in
            answerOnce { applied(first, last, changed, isCompleted: false) }
        }
        watch.whenDone { [self] result in
            timer?.cancel()
            answerOnce { done(first, last, changed, result) }
        }
    }

    private func answerOnce(_ response: () -> HTTPResponse) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hold?.end()
        exchange.complete(response())
        store.wake()
    }

    private func done(
        _ first: UInt64,
        _ last: UInt64,
        _ changed: Bool,
        _ result: Result<any Sendable, any Error>?
    ) -> HTTPResponse {
        if case .failure(let error) = result { return failed(last, error) }
        return applied(first, last, changed, isCompleted: true, value: value(of: result))
    }

    /// What the client waited for is what effects change, which comes in later versions: the state is
    /// the newest, under its own tag.
    private func applied(
        _ first: UInt64,
        _ last: UInt64,
        _ changed: Bool,
        isCompleted: Bool,
        value: [UInt8]? = nil
    ) -> HTTPResponse {
        let newest = wantsState ? store.publisher.snapshot : nil
        return applied(
            first,
            last,
            changed,
            newest?.state,
            etag: newest?.etag,
            isCompleted: isCompleted,
            value: value
        )
    }

    private func failed(_ version: UInt64, _ error: any Error) -> HTTPResponse {
        let tag = Tag(epoch: store.publisher.epoch, version: version)
        return Problem.effectFailed(of: tag, because: error.reasonForClients)
            .response(for: requestID)
    }

    /// What the effect returned, where that has a JSON form.
    private func value(of result: Result<any Sendable, any Error>?) -> [UInt8]? {
        guard case .success(let value) = result, let value = value as? any Encodable else {
            return nil
        }
        return try? store.encoder.encode(Whole(value))
    }
}

extension Error {
    /// What clients are told of an error of work that they wait for: why the domain refused it, or no more
    /// than that it failed. The log has the rest.
    var reasonForClients: String {
        switch self {
        case let refusal as Refusal: refusal.reason
        case is CancellationError: "It was cancelled."
        default: "It failed; the server's log says why."
        }
    }
}
