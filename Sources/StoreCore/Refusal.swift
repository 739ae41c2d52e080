/// A reducer's no: the action is not applied, and it is as if it had never been dispatched.
public struct Refusal: Error, Sendable, Equatable {
    /// Why, in a sentence that the client can act on.
    public let reason: String
    /// Which member of the action is at fault, as a JSON Pointer (RFC 6901) into its fields.
    public let pointer: String?

    /// Whether the client may not do this in any state; over HTTP that is 403 and not 409.
    public let isForbidden: Bool

    /// Whether the session has ended that the action is for.
    package let isOfEndedSession: Bool

    /// Whether what sees the whole state refused it, and not the action's module: the reason may
    /// name any part of the state.
    package private(set) var isOfWholeState = false

    /// What a reducer threw that is no refusal. Clients get ``reason``, a fixed text then, and
    /// never this.
    public let failure: (any Error)?

    /// Makes a refusal.
    public init(reason: String, pointer: String? = nil) {
        self.init(reason: reason, pointer: pointer, isForbidden: false)
    }

    /// Makes a refusal of what the client may not do in any state.
    public static func forbidden(_ reason: String) -> Refusal {
        Refusal(reason: reason, pointer: nil, isForbidden: true)
    }

    /// Makes the refusal of an action for a slice of a session that has ended.
    static var ofEndedSession: Refusal {
        .ofEndedSession("The session that this comes from has ended.")
    }

    /// Makes the same in other words.
    static func ofEndedSession(_ reason: String) -> Refusal {
        Refusal(
            reason: reason,
            pointer: nil,
            isForbidden: false,
            isOfEndedSession: true
        )
    }

    /// What a reducer threw: its refusal, or a fixed text in place of any other error.
    package init(_ error: any Error) {
        self =
            error as? Refusal
            ?? Refusal(
                reason: "The reducer failed; the server's log says why.",
                pointer: nil,
                isForbidden: false,
                failure: error
            )
    }

    /// What a function threw that sees the whole state.
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

    /// Whether both have the same reason, pointer and kind; ``failure`` is not compared.
    public static func == (a: Refusal, b: Refusal) -> Bool {
        a.reason == b.reason && a.pointer == b.pointer && a.isForbidden == b.isForbidden
    }
}

extension Refusal: CustomStringConvertible {
    /// The reason: ``failure`` stays out of texts that a program makes of errors.
    public var description: String { reason }
}
