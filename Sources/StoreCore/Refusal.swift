/// A reducer's no: the action is not applied, and it is as if it had never been dispatched.
public struct Refusal: Error, Sendable, Equatable {
    /// Why, in a sentence that the one who dispatched can act on.
    public let reason: String
    /// Which member of the action is at fault, as a JSON Pointer (RFC 6901) into its fields.
    public let pointer: String?

    /// Makes a refusal.
    public init(reason: String, pointer: String? = nil) {
        self.reason = reason
        self.pointer = pointer
    }
}
