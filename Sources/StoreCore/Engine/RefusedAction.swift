/// An action of a client that the store has refused.
package struct RefusedAction: Sendable {
    /// The wire name, with `{id}` for an instance.
    package let type: String
    /// The request that it came with.
    package let requestID: String
    package let refusal: Refusal
}
