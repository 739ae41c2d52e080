/// One action or array on its way through the Core, with what is known of where it comes from.
package final class Envelope<State: Sendable>: Sendable {
    package typealias Member = EnvelopeMember
    package typealias Mode = EnvelopeMode

    package let members: [Member]
    package let requestID: String?
    package let principal: String?
    /// The version that the state must have, if it matters.
    package let expectedVersion: UInt64?
    /// What the client calls the request by, if it may be sent again.
    package let idempotency: Idempotency?
    package let mode: Mode
    /// Whether the batch must end here, so that what is published is exactly this version.
    package let endsBatch: Bool
    /// Whether the outcome is to carry the state.
    package let wantsState: Bool
    package let completion: any Completion<State>
    /// Which part of the program dispatched it, if one did.
    package let source: ActionSource?
    /// Who waits for the end of its effects, if anybody does.
    package let watch: EffectWatch?
    /// Who is told of what it changes; `nil` for everybody.
    package let audience: Audience?
    /// The sessions that it comes from; none where no client with a session is behind it.
    package let sessions: [String]
    /// Where it comes from, as the log shows it: a place in the program, or a client.
    package let origin: String?

    package init(
        members: [Member],
        requestID: String? = nil,
        principal: String? = nil,
        expectedVersion: UInt64? = nil,
        idempotency: Idempotency? = nil,
        mode: Mode = .apply,
        endsBatch: Bool = false,
        wantsState: Bool = false,
        source: ActionSource? = nil,
        watch: EffectWatch? = nil,
        audience: Audience? = nil,
        sessions: [String] = [],
        origin: String? = nil,
        completion: any Completion<State>
    ) {
        self.members = members
        self.requestID = requestID
        self.principal = principal
        self.expectedVersion = expectedVersion
        self.idempotency = idempotency
        self.mode = mode
        self.endsBatch = endsBatch
        self.wantsState = wantsState
        self.source = source
        self.watch = watch ?? source?.watch
        self.audience = audience ?? source?.audience
        self.sessions = source?.sessions ?? sessions
        self.origin = source?.place ?? origin
        self.completion = completion
    }
}

// These two are no generic types of their own, so that nobody looks their metadata up per action.

/// One action with what the journal keeps of it.
package struct EnvelopeMember: Sendable {
    package let action: any Action
    /// The wire name.
    package let type: String
    /// The fields, as JSON.
    package let payload: [UInt8]
    package let meta: [UInt8]?

    package init(
        action: any Action,
        type: String,
        payload: [UInt8] = [],
        meta: [UInt8]? = nil
    ) {
        self.action = action
        self.type = type
        self.payload = payload
        self.meta = meta
    }
}

/// The part of the program that dispatched an action.
package struct ActionSource: Sendable {
    /// The version of the action that led to it.
    package private(set) var cause: UInt64
    /// Where in the program that is written.
    package let place: String
    /// The effect that did, if it was one.
    package var token: EffectToken?
    package var watch: EffectWatch?
    package var audience: Audience?
    /// The sessions that the action behind it came from.
    package var sessions: [String] = []

    package init(cause: UInt64, place: String) {
        self.cause = cause
        self.place = place
    }

    /// The same, after the action of another version.
    func caused(by version: UInt64) -> ActionSource {
        var source = self
        source.cause = version
        return source
    }
}

/// A request's key, and what tells its body from others under the same key.
package struct Idempotency: Sendable {
    package let key: IdempotencyKey
    package let fingerprint: [UInt8]

    package init(key: IdempotencyKey, fingerprint: [UInt8]) {
        self.key = key
        self.fingerprint = fingerprint
    }
}

/// What is to be done with an envelope's actions.
package enum EnvelopeMode: Sendable {
    /// All of it or nothing.
    case apply
    /// Reduced on a copy that is then forgotten.
    case dryRun
}

/// Hears what became of an envelope: exactly once, on the Core's thread, after the commit.
package protocol Completion<State>: AnyObject, Sendable {
    associatedtype State: Sendable
    func complete(_ outcome: Outcome<State>)
}

/// What became of an envelope.
package enum Outcome<State: Sendable>: Sendable {
    /// Applied as these versions. `state` is there where the envelope wanted it.
    case applied(first: UInt64, last: UInt64, changed: Bool, state: State?)
    /// The same request was applied before, as these versions; nothing was applied now.
    case replayed(KeptOutcome)
    /// Another request was applied under this key; nothing was applied now.
    case keyTaken
    /// The reducer said no to the member of this index; nothing was applied.
    case refused(Refusal, member: Int)
    /// The state has another version than was expected.
    case versionMismatch(current: UInt64)
    /// What would have become of the state.
    case dryRun(changed: Bool, before: State, after: State)
    /// The machine said no.
    case failed(CoreFailure)
    /// The effect that dispatched it does not count any more; nothing was applied.
    case cancelled
}

/// Why the Core could not apply an action that it would have applied.
public enum CoreFailure: Error, Sendable, Equatable {
    /// The journal has no room; the action was not applied.
    case storageFull
    /// It is not known whether the action was applied.
    case unknown
    /// The journal could not be asked whether the request was applied before; it was not now.
    case unreadable
    /// The Core has stopped; the action was not applied.
    case closed
}

/// Why the mailbox did not take something.
public enum MailboxError: Error, Sendable, Equatable {
    /// As many actions wait as may.
    case full
    /// The Core has stopped.
    case closed
}

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
    /// Who dispatched it, where that is known.
    public let principal: String?
    /// The request that dispatched it.
    public let requestID: String?
    /// The version of the action whose effect dispatched it.
    public let cause: UInt64?
    /// The place in the program that dispatched it; for a client's, its address and what it calls itself.
    public let origin: String?
}
