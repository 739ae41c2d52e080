import ActionCatalog
import HTTPTransport
import StoreCore
import Wire

extension DispatchTicket {
    /// Answers when all that follows the action is done, or when the client's time is over:
    /// whichever comes first (protocol 2.6).
    ///
    /// Nothing follows most actions. Their answers go with those of the batch, without a timer.
    func waitForEffects(
        _ watch: EffectWatch,
        first: UInt64,
        last: UInt64,
        changed: Bool
    ) {
        let answer = AppliedAnswer(first: first, last: last, changed: changed)
        guard !watch.isDone else {
            watch.whenDone { [self] in finish(answer, $0) }
            return
        }
        let seconds = min(preferences.waitSeconds ?? 0, Self.waitSecondsMax)
        let timer = store.schedule(after: Double(seconds)) { [self] in
            answerOnce {
                var answer = answer
                answer.isCompleted = false
                finish(answer)
            }
        }
        watch.whenDone { [self] result in
            timer?.cancel()
            answerOnce { finish(answer, result) }
        }
    }

    private func answerOnce(_ answer: () -> Void) {
        once(ending: hold) {
            answer()
            store.wake()
        }
    }

    /// Answers with what the effects gave. The state is the newest, under its own tag: what the
    /// client waited for comes in later versions.
    private func finish(_ answer: AppliedAnswer, _ result: Result<any Sendable, any Error>?) {
        if case .failure(let error) = result {
            return exchange.complete(failed(answer.last, error))
        }
        var answer = answer
        answer.value = value(of: result)
        finish(answer)
    }

    private func failed(_ version: UInt64, _ error: any Error) -> HTTPResponse {
        let tag = Tag(epoch: reader.epoch, version: version)
        return store.response(.effectFailed(of: tag, because: error.reasonForClients), for: id)
    }

    /// What the effect returned, where that has a JSON form.
    private func value(of result: Result<any Sendable, any Error>?) -> [UInt8]? {
        guard case .success(let value) = result, let value = value as? any Encodable else {
            return nil
        }
        return try? store.encoder.encode(AnyEncodable(value))
    }
}

extension Error {
    /// What clients get of an error of work that they wait for: why the domain refused it, or no
    /// more than that it failed. The log has the rest.
    var reasonForClients: String {
        switch self {
        case let refusal as Refusal: refusal.reason
        case is CancellationError: "It was cancelled."
        default: "It failed; the server's log says why."
        }
    }
}
