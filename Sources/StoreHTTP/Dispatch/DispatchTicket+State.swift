import StoreEventStream
import StoreHTTPTransport
import StoreWire

extension DispatchTicket {
    /// Answers, with the newest published state if the client asked for it. If the state is large
    /// or must be assembled first, another thread makes the answer, at a pace.
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
        // The action was applied. An answer without the state is still true.
        if !isTaken { complete(answer) }
    }

    /// Makes the answer with a state. If the state must be assembled first, the calling thread does
    /// that.
    func response(_ answer: AppliedAnswer, with state: VisibleState) -> HTTPResponse {
        applied = answer.with(state)
        return HTTPResponse(self)
    }
}

extension AppliedAnswer {
    /// Returns the same answer with the state of a version.
    fileprivate func with(_ state: VisibleState) -> AppliedAnswer {
        var answer = self
        answer.state = state.whole
        answer.tagged = state.version
        return answer
    }
}
