import StoreEventStream
import StoreHTTPTransport
import StoreWire

extension DispatchTicket {
    /// Answers, with the state as it is published now where the client asked for it. A large one is
    /// paced by another thread, which puts it together where that is to be done.
    func finish(_ answer: AppliedAnswer) {
        guard wantsState else { return complete(answer) }
        let state = reader.state(for: caller)
        if state.isAtHand, state.whole.count < ReaderPace.answerBytesMin {
            return complete(answer.with(state))
        }
        let isTaken = reader.threads.large.submitAnswer { [self] in
            exchange.complete(response(answer, with: state))
            store.wake()
            return state.whole.count
        }
        // It was applied, and that answer is true without the state.
        if !isTaken { complete(answer) }
    }

    /// The answer with a state that may have to be put together, which is done by the caller's
    /// thread.
    func response(_ answer: AppliedAnswer, with state: VisibleState) -> HTTPResponse {
        applied = answer.with(state)
        return HTTPResponse(self)
    }
}

extension AppliedAnswer {
    /// The same, with a version's state.
    fileprivate func with(_ state: VisibleState) -> AppliedAnswer {
        var answer = self
        answer.state = state.whole
        answer.tagged = state.version
        return answer
    }
}
