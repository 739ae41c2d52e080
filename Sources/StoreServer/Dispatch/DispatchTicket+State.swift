import HTTPTransport
import Wire

extension DispatchTicket {
    /// Answers, with the state as it is published now where the client asked for it. A large one is paced
    /// by another thread, which puts it together where that is to be done.
    func finish(_ answer: AppliedAnswer) {
        guard wantsState else { return complete(answer) }
        let snapshot = store.publisher.snapshot
        if snapshot.isAtHand(.root), snapshot.state.count < ReaderPace.answerBytesMin {
            return complete(answer.with(snapshot))
        }
        let isTaken = store.reading.submitAnswer { [self] in
            exchange.complete(response(answer, with: snapshot))
            store.wake()
            return snapshot.state.count
        }
        // It was applied, and that answer is true without the state.
        if !isTaken { complete(answer) }
    }

    /// The answer with a state that may have to be put together, which is done by the caller's thread.
    func response(_ answer: AppliedAnswer, with snapshot: Snapshot) -> HTTPResponse {
        applied = answer.with(snapshot)
        return HTTPResponse(self)
    }
}

extension AppliedAnswer {
    /// The same, with a version's state.
    fileprivate func with(_ snapshot: Snapshot) -> AppliedAnswer {
        var answer = self
        answer.state = snapshot.state
        answer.tagged = snapshot.version
        return answer
    }
}
