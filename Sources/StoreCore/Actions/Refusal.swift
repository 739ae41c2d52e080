/// The rejection of an action. The action is not applied, and the state does not change.
public struct Refusal: Error, Sendable, Equatable {
    /// The reason, in a sentence that helps the client to act.
    public let reason: String
    /// The member of the action at fault, as a JSON Pointer (RFC 6901) into the action's fields.
    public let pointer: String?

    /// True if the client may not do this in any state. Over HTTP the status is then 403, else 409.
    public let isForbidden: Bool

    /// True if the session that owns the slice of the action has ended.
    package let isOfEndedSession: Bool

    /// True if a function of the whole state refused the action, and not the action's module. The
    /// reason may then name any part of the state.
    package private(set) var isOfWholeState = false

    /// The error of a reducer that is not a refusal. Clients never get this error: ``reason`` is a
    /// fixed text then.
    public let failure: (any Error)?

    /// Makes a refusal.
    public init(reason: String, pointer: String? = nil) {
        self.init(reason: reason, pointer: pointer, isForbidden: false)
    }

    /// Makes a refusal of an action that the client may not dispatch in any state.
    public static func forbidden(_ reason: String) -> Refusal {
        Refusal(reason: reason, pointer: nil, isForbidden: true)
    }

    /// Makes the refusal of an action for a slice of a session that has ended.
    static var ofEndedSession: Refusal { .ofEndedSession("The session of this action has ended.") }

    /// Makes the same refusal with another reason.
    static func ofEndedSession(_ reason: String) -> Refusal {
        Refusal(reason: reason, pointer: nil, isForbidden: false, isOfEndedSession: true)
    }

    /// Makes a refusal of the error that a reducer threw. An error that is not a refusal gets a
    /// fixed text.
    package init(_ error: any Error) {
        self =
            error.refusal
            ?? Refusal(
                reason: "The reducer failed; the server's log has the reason.",
                pointer: nil,
                isForbidden: false,
                failure: error
            )
    }

    /// Marks a refusal by a function of the whole state. Returns any other error unchanged.
    static func ofWholeState(_ error: any Error) -> any Error {
        guard var refusal = error as? Refusal else { return error }
        refusal.isOfWholeState = true
        return refusal
    }

    private init(
        reason: String,
        pointer: String?,
        isForbidden: Bool,
        isOfEndedSession: Bool = false,
        failure: (any Error)? = nil
    ) {
        self.reason = reason
        self.pointer = pointer
        self.isForbidden = isForbidden
        self.isOfEndedSession = isOfEndedSession
        self.failure = failure
    }

    /// True if both have the same reason, pointer and kind; ``failure`` is not compared.
    public static func == (a: Refusal, b: Refusal) -> Bool {
        a.reason == b.reason && a.pointer == b.pointer && a.isForbidden == b.isForbidden
    }
}

extension Refusal: CustomStringConvertible {
    /// The reason. A text that a program makes of this error does not contain ``failure``.
    public var description: String { reason }
}
