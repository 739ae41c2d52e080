/// An error of a reducer or an interceptor that is no ``Refusal``: a defect of the program.
package struct ReducerFailure: Sendable {
    /// The wire name of the action.
    package let type: String
    /// The id of the request with the action; `nil` if the program itself dispatched it.
    package let requestID: String?
    package let error: any Error
}

extension Engine {
    /// Makes the refusal of an action. The follower gets the refusal of a client's action, and each
    /// error that is no refusal.
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
