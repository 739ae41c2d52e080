/// The rejection of an action. The action is not applied, and the state does not change.
public struct Refusal: Error, Sendable, Equatable {
    /// The reason, in a sentence that helps the client to act.
    public let reason: String
    /// The faulty member of the action, as a JSON Pointer (RFC 6901) into the action's fields.
    public let pointer: String?

    /// True if the client may not dispatch the action in any state: HTTP status 403, not 409.
    public private(set) var isForbidden = false

    /// True if the session that owns the slice of the action has ended.
    package private(set) var isOfEndedSession = false

    /// True if the refusal comes from an interceptor or from a reducer of the whole state, and not
    /// from the action's module. The reason may then name any part of the state.
    package private(set) var isByWholeState = false

    /// The error that a reducer threw, if the error is not a refusal; otherwise `nil`. Clients
    /// never get this error: ``reason`` is then a fixed text.
    public private(set) var reducerError: (any Error)?

    /// Makes a refusal.
    public init(reason: String, pointer: String? = nil) {
        self.reason = reason
        self.pointer = pointer
    }

    /// Makes a refusal of an action that the client may not dispatch in any state.
    public static func forbidden(_ reason: String) -> Refusal {
        var refusal = Refusal(reason: reason)
        refusal.isForbidden = true
        return refusal
    }

    /// The refusal of an action for a slice of an ended session.
    static var ofEndedSession: Refusal { .ofEndedSession("The session of this action has ended.") }

    /// Makes the refusal of an action for a slice of an ended session, with this reason.
    static func ofEndedSession(_ reason: String) -> Refusal {
        var refusal = Refusal(reason: reason)
        refusal.isOfEndedSession = true
        return refusal
    }

    /// Makes a refusal from the error that a reducer threw. An error that is not a refusal gets a
    /// fixed text as its ``reason``.
    package init(_ error: any Error) {
        if let refusal = error.refusal {
            self = refusal
        } else {
            self.init(reason: "The reducer failed; the server's log has the reason.")
            reducerError = error
        }
    }

    /// Returns a refusal with ``isByWholeState`` set. Returns any other error unchanged.
    static func byWholeState(_ error: any Error) -> any Error {
        guard var refusal = error as? Refusal else { return error }
        refusal.isByWholeState = true
        return refusal
    }

    /// True if both refusals have the same reason, pointer and ``isForbidden``. The other members
    /// are not compared.
    public static func == (a: Refusal, b: Refusal) -> Bool {
        a.reason == b.reason && a.pointer == b.pointer && a.isForbidden == b.isForbidden
    }
}

extension Refusal: CustomStringConvertible {
    /// The reason. The text never contains ``reducerError``.
    public var description: String { reason }
}
