import StoreHTTPTransport
import StoreJSON
import StorePlatform

/// The members of the answer to an applied action.
struct AppliedAnswer {
    let firstVersion: UInt64
    let lastVersion: UInt64
    /// True if the action changed data that the caller sees, or a module that the caller dispatched
    /// to. `nil` for the record of a use case's call or of a notification, which changes nothing.
    let hasVisibleChange: Bool?
    /// The state after the action; `nil` if the client did not ask for the state, or if the state
    /// is not available.
    var state: Bytes?
    /// The version of ``state``; `nil` if the version is ``lastVersion``.
    var stateVersion: UInt64?
    /// False if the answer reports, with status 202, that effects still run.
    var isCompleted = true
    /// The value that the effect returned, as JSON.
    var effectValue: [UInt8]?
    /// True if the action was applied by an earlier request with the same idempotency key.
    var isRepeated = false
    /// False if the result of the action's effects is unknown.
    var isEffectResultKnown = true

    /// The placeholder for the answer to a request that is not applied yet.
    static let pending = AppliedAnswer(firstVersion: 0, lastVersion: 0, hasVisibleChange: nil)

    static let fields = HTTPFields([
        ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
    ])

    /// True if the answer is to a call of a use case or to a notification.
    var isOfCallOrNotification: Bool { hasVisibleChange == nil }
}

// The body

extension DispatchTicket {
    /// Writes the body (protocol 2.5). A large state is shared with the answer, not copied into it.
    func writeBody(to writer: inout HTTPAnswerWriter, includesCompletion: Bool) {
        writeMembers(to: &writer.body, includesCompletion: includesCompletion)
        guard let state = appliedAnswer.state else { return writer.body.raw("}") }
        writer.body.raw(",\"state\":")
        guard state.count >= Self.sharedStateBytesMin else {
            state.withUnsafeBytes { writer.body.raw($0.bindMemory(to: UInt8.self)) }
            return writer.body.raw("}")
        }
        let pieces = [Bytes(writer.body.array), state, Self.closingBrace]
        writer.sharedBody = Bytes(joining: pieces, shared: state.count)
    }

    /// The minimum size in bytes of a state that is shared and not copied.
    private static let sharedStateBytesMin = 16 << 10
    private static let closingBrace = Bytes(utf8: "}")

    private func writeMembers(to body: inout JSONOutput, includesCompletion: Bool) {
        reader.answerPrefix.withUnsafeBufferPointer { body.raw($0) }
        if hasActionArray {
            body.raw("\"first\":")
            body.decimal(appliedAnswer.firstVersion)
            body.byte(UInt8(ascii: ","))
        }
        body.raw("\"version\":")
        body.decimal(appliedAnswer.lastVersion)
        if let changed = appliedAnswer.hasVisibleChange {
            body.raw(changed ? ",\"changed\":true" : ",\"changed\":false")
        }
        if includesCompletion {
            body.raw(appliedAnswer.isCompleted ? ",\"completed\":true" : ",\"completed\":false")
        }
        if let value = appliedAnswer.effectValue {
            body.raw(",\"value\":")
            value.withUnsafeBufferPointer { body.raw($0) }
        }
    }
}

// Answers with a state

extension DispatchTicket {
    /// Answers an applied request, with the newest state if the client asked for it.
    func answerApplied(_ answer: consuming AppliedAnswer) {
        if returnsState { answerWithState(answer) } else { complete(answer) }
    }

    /// Answers with the newest published state. If the state is large or must be assembled first,
    /// another thread makes the answer.
    private func answerWithState(_ answer: AppliedAnswer) {
        let state = reader.state(for: caller)
        if state.isAssembled, state.wholeState.count < ReaderPace.pacedAnswerBytesMin {
            return complete(answer.with(state))
        }
        let isTaken = reader.threads.largeAnswers.submitAnswer { [self] in
            exchange.complete(response(answer, with: state))
            store.wakeLoop()
            return state.wholeState.count
        }
        // If the queue is full, answer without the state. A refusal would be false, because the
        // action was applied.
        if !isTaken { complete(answer) }
    }

    /// Makes the answer with a state, which the calling thread assembles first if necessary.
    func response(_ answer: AppliedAnswer, with state: VisibleState) -> HTTPResponse {
        appliedAnswer = answer.with(state)
        return HTTPResponse(self)
    }
}

extension AppliedAnswer {
    fileprivate func with(_ state: VisibleState) -> AppliedAnswer {
        var answer = self
        answer.state = state.wholeState
        answer.stateVersion = state.version
        return answer
    }
}
