/// An error of a reducer or an interceptor that is no ``Refusal``: a defect of the program.
package struct ReducerFailure: Sendable {
    /// The wire name of the action.
    package let type: String
    /// The request that it came with; `nil` where the program itself dispatched it.
    package let requestID: String?
    package let error: any Error
}

extension Engine {
    /// Why an action is refused. An error that is no refusal is reported, and only there.
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
        }
        return refusal
    }
}
