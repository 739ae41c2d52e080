/// One action or array on its way through the Core, with what is known of where it comes from.
package final class Envelope: Sendable {
    package typealias Member = EnvelopeMember
    package typealias Mode = EnvelopeMode

    package let members: [Member]
    package let requestID: String?
    /// Who dispatched it, or what it follows; `nil` for clients that show nothing.
    package let principal: ActionPrincipal?
    /// The version that the state must have; `nil` if any will do.
    package let condition: VersionCondition?
    /// What the client calls the request by, if it may be sent again.
    package let idempotency: Idempotency?
    /// Whether it has an idempotency key: asked for each envelope, and cheaper than to copy it.
    let hasKey: Bool
    package let mode: Mode
    /// Whether the batch must end here, so that what is published is exactly this version.
    package let endsBatch: Bool
    /// Whether the outcome is to carry the state.
    package let wantsState: Bool
    /// True if the client is answered about changes of the member at a place: it sees the member,
    /// or has dispatched to it. `nil` if it sees all members.
    package let sees: (@Sendable (_ member: Int) -> Bool)?
    package let completion: any Completion
    /// The place in the program that dispatched it; `nil` where a client did.
    package let source: ActionSource?
    /// Waits for the end of its effects; `nil` where no client does.
    package let watch: EffectWatch?
    /// Which subscribers get what it changes; `nil` for all.
    package let audience: Audience?
    /// The session that it comes from; `nil` where no client with a session is behind it.
    package let session: String?
    /// Where it comes from, as the log shows it: a place in the program, or a client.
    package let origin: String?
    /// When a client's request was offered, by ``SystemTime/steadyNanoseconds()``; 0 where that is
    /// not measured.
    package let offered: UInt64
    /// The span of its way through the Core; `nil` where its trace is not exported.
    package let span: DispatchSpan?

    package init(
        members: [Member],
        requestID: String? = nil,
        principal: ActionPrincipal? = nil,
        condition: VersionCondition? = nil,
        idempotency: Idempotency? = nil,
        mode: Mode = .apply,
        endsBatch: Bool = false,
        wantsState: Bool = false,
        source: ActionSource? = nil,
        watch: EffectWatch? = nil,
        audience: Audience? = nil,
        session: String? = nil,
        origin: String? = nil,
        sees: (@Sendable (_ member: Int) -> Bool)? = nil,
        offered: UInt64 = 0,
        span: DispatchSpan? = nil,
        completion: any Completion
    ) {
        self.offered = offered
        self.span = span
        self.members = members
        self.requestID = requestID
        self.principal = source == nil ? principal : source?.principal
        self.condition = condition
        self.idempotency = idempotency
        hasKey = idempotency != nil
        self.mode = mode
        self.endsBatch = endsBatch
        self.wantsState = wantsState
        self.source = source
        self.watch = watch ?? source?.watch
        self.audience = audience ?? source?.audience
        self.session = source == nil ? session : source?.session
        self.origin = source?.place ?? origin
        self.sees = sees
        self.completion = completion
    }

    /// The same envelope of a client with another condition, for the same completion.
    package convenience init(_ other: Envelope, under condition: VersionCondition) {
        self.init(
            members: other.members,
            requestID: other.requestID,
            principal: other.principal,
            condition: condition,
            idempotency: other.idempotency,
            mode: other.mode,
            endsBatch: other.endsBatch,
            wantsState: other.wantsState,
            watch: other.watch,
            audience: other.audience,
            session: other.session,
            origin: other.origin,
            sees: other.sees,
            offered: other.offered,
            span: other.span,
            completion: other.completion
        )
    }
}

/// One action with what the journal keeps of it.
package struct EnvelopeMember: Sendable {
    package let action: any Action
    /// The wire name.
    package let type: String
    /// The fields, as JSON.
    package let payload: [UInt8]
    package let meta: [UInt8]?
    /// The number of its type among those that the program declares; -1 where it is none of them.
    package let number: Int

    package init(
        action: any Action,
        type: String,
        payload: [UInt8] = [],
        meta: [UInt8]? = nil,
        number: Int = -1
    ) {
        self.number = number
        self.action = action
        self.type = type
        self.payload = payload
        self.meta = meta
    }
}

extension EnvelopeMember {
    /// The wire name that it has in common with those of other instances.
    var kind: String { action.kind(of: type) }
}

/// Where the program itself dispatched an action: an effect, a presenter or a reaction.
package struct ActionSource: Sendable {
    /// The version of the action that led to it; `nil` where none did.
    package let cause: UInt64?
    /// Where in the program that is written.
    package let place: String
    /// The effect that did, if it was one.
    package var token: EffectToken?
    package var watch: EffectWatch?
    package var audience: Audience?
    /// The session that the action behind it came from.
    package var session: String?
    /// The principal that the action behind it came from.
    package var principal: ActionPrincipal?
    /// The trace that the action behind it is a part of.
    package var trace: String?

    package init(cause: UInt64?, place: String) {
        self.cause = cause
        self.place = place
    }
}

/// A request's key, and the fingerprint of its body.
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
