/// An error of a reducer or an interceptor that is no ``Refusal``: a defect of the program.
package struct ReducerFailure: Sendable {
    /// The wire name of the action.
    package let type: String
    /// The request that it came with; `nil` where the program itself dispatched it.
    package let requestID: String?
    package let error: any Error
}

extension Engine {
    /// Why an action is refused. The follower gets the reason of a client's action, and an error
    /// that is no refusal.
    func refusal(
        _ error: any Error,
        _ member: EnvelopeMember,
        _ envelope: Envelope
    ) -> Refusal {
        let refusal = Refusal(error)
        if let failure = refusal.failure {
            ports.follower?.reducerFailed(
                ReducerFailure(type: member.type, requestID: envelope.requestID, error: failure)
            )
        } else if let id = envelope.requestID {
            ports.follower?.refused(
                RefusedAction(type: member.kind, requestID: id, refusal: refusal)
            )
        }
        return refusal
    }
}
