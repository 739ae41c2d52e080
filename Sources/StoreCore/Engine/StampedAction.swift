/// An action that the Core has given its place in the order.
public struct StampedAction: Sendable {
    /// The action itself.
    public let action: any Action
    /// The version that it makes if the reducer does not refuse it.
    public let version: UInt64
    /// When it was stamped, in nanoseconds since 1970.
    public let time: Int64
    /// Its wire name; in process, the name of its type.
    public let type: String
    /// What the client sent along, as JSON.
    public let meta: [UInt8]?
    /// The principal that dispatched it, or the action that it follows; `nil` for clients that show
    /// no credential, and for the program itself.
    public let principal: ActionPrincipal?
    /// The request that dispatched it.
    public let requestID: String?
    /// The session that it comes from; `nil` where no client with a session is behind it.
    public let session: String?
    /// The version of the action whose effect dispatched it.
    public let cause: UInt64?
    /// The place in the program that dispatched it; for a client's, its address and what it calls
    /// itself.
    public let origin: String?
}
