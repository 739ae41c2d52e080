/// An action of a client that the store has refused.
package struct RefusedAction: Sendable {
    /// The wire name, with `{id}` in place of the id of an instance.
    package let type: String
    /// The id of the request with the action.
    package let requestID: String
    package let refusal: Refusal
}
