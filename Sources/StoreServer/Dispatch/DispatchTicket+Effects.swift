import HTTPTransport
import StoreCore
import Synchronization
import Wire

extension DispatchTicket {
    /// Answers when all that follows the action is done, or when the client's time is over: whichever
    /// comes first (protocol 2.6).
    func waitForEffects(
        _ watch: EffectWatch,
        _ first: UInt64,
        _ last: UInt64,
        _ changed: Bool
    ) {
        let seconds = min(preferences.waitSeconds ?? 0, Self.waitSecondsMax)
        store.schedule(after: UInt64(seconds)) { [self] in
            answerOnce { applied(first, last, changed, newestState, isCompleted: false) }
        }
        watch.whenDone { [self] result in
            answerOnce {
                if case .failure(let error) = result { return failed(last, error) }
                return applied(first, last, changed, newestState, value: value(of: result))
            }
        }
    }

    /// What it led to: the client waits for what effects change, which comes in later versions.
    private var newestState: Bytes? { wantsState ? store.publisher.snapshot.state : nil }

    private func answerOnce(_ response: () -> HTTPResponse) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        exchange.complete(response())
        store.wake()
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
