/// An action with its place in the order.
public struct StampedAction: Sendable {
    /// The action itself.
    public let action: any Action
    /// The version that the action makes if the reducer does not refuse it.
    public let version: UInt64
    /// The time of the stamp, in nanoseconds since 1970.
    public let time: Int64
    /// The wire name of the action; in process, the name of its Swift type.
    public let type: String
    /// The data that the client sent along, as JSON; `nil` if it sent none.
    public let meta: [UInt8]?
    /// The principal that dispatched the action, or the action that it follows. `nil` for clients
    /// without a credential, and for the program itself.
    public let principal: ActionPrincipal?
    /// The id of the request that dispatched the action; `nil` if no request did.
    public let requestID: String?
    /// The session that led to the action; `nil` if no client with a session did.
    public let session: String?
    /// The version of the action that led to this action; `nil` if no action did.
    public let cause: UInt64?
    /// The dispatcher of the action: a place in the program, or a client's address and the name
    /// that the client gives itself. `nil` if it is not recorded.
    public let origin: String?
}
