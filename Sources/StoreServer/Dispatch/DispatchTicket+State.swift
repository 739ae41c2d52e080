import HTTPTransport
import Wire

extension DispatchTicket {
    /// Up to how many bytes of state are put into an answer on the event loop's thread.
    private static var quickBytesMax: Int { 16 << 10 }

    /// Answers, with the state as it is published now where the client asked for it. A large one is put
    /// together on another thread, so that the Core and the event loop go on.
    func finish(_ answer: AppliedAnswer) {
        guard wantsState else { return complete(answer) }
        let snapshot = store.publisher.snapshot
        if snapshot.isAtHand(.root), snapshot.state.count <= Self.quickBytesMax {
            return complete(answer.with(snapshot))
        }
        let isTaken = store.reading.submit { [self] in
            exchange.complete(response(answer, with: snapshot))
            store.wake()
        }
        // It was applied, and that answer is true without the state.
        if !isTaken { complete(answer) }
    }

    /// The answer with a state that may be large, written here.
    func response(_ answer: AppliedAnswer, with snapshot: Snapshot) -> HTTPResponse {
        applied = answer.with(snapshot)
        var response = HTTPResponse(self)
        // The library takes it as it is, without a copy on the event loop's thread.
        if case .bytes(let bytes) = response.body { response.body = .shared(Bytes(bytes)) }
        return response
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
