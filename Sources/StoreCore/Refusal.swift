/// A reducer's no: the action is not applied, and it is as if it had never been dispatched.
public struct Refusal: Error, Sendable, Equatable {
    /// Why, in a sentence that the one who dispatched can act on.
    public let reason: String
    /// Which member of the action is at fault, as a JSON Pointer (RFC 6901) into its fields.
    public let pointer: String?

    /// Whether the one who asks may not, whatever the state is; over HTTP that is 403 and not 409.
    public let isForbidden: Bool

    /// Makes a refusal.
    public init(reason: String, pointer: String? = nil) {
        self.init(reason: reason, pointer: pointer, isForbidden: false)
    }

    /// Makes a refusal of what the one who asks may not do at all.
    public static func forbidden(_ reason: String) -> Refusal {
        Refusal(reason: reason, pointer: nil, isForbidden: true)
    }

    private init(reason: String, pointer: String?, isForbidden: Bool) {
        self.reason = reason
        self.pointer = pointer
        self.isForbidden = isForbidden
    }
}
