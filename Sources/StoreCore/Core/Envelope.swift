/// An action or an array of actions on its way through the Core, with its origin.
package final class Envelope: Sendable {
    package let members: [EnvelopeMember]
    package let requestID: String?
    /// The principal of the client, or of the action that this envelope follows; `nil` if there is
    /// no such principal.
    package let principal: ActionPrincipal?
    /// The condition for the version of the state; `nil` for any version.
    package let condition: VersionCondition?
    /// The key and the fingerprint of a request that the client may send again; `nil` without a
    /// key.
    package let idempotency: Idempotency?
    /// True if the envelope has an idempotency key. The engine reads this value for each envelope,
    /// because copying the key would cost more.
    let hasIdempotencyKey: Bool
    package let mode: EnvelopeMode
    /// True if the batch must end with this envelope, so that the version of this envelope is
    /// published.
    package let endsBatch: Bool
    /// True if the outcome must have the state.
    package let returnsState: Bool
    /// The filter for the changes in the answer. The filter returns true for a member of the state
    /// that the client sees or has dispatched to. `nil` if the client sees all members.
    package let canSeeStateMember: (@Sendable (_ member: Int) -> Bool)?
    /// True if the sender may act only on the restricted slices that it reads. True for clients,
    /// false for operators and for the program itself.
    let isLimitedToReadableSlices: Bool
    package let completion: any Completion
    /// The part of the program that dispatched the envelope; `nil` if a client did.
    package let source: ActionSource?
    /// The watch that waits for the end of the effects; `nil` if no client waits.
    package let watch: EffectWatch?
    /// The subscribers that get the changes; `nil` for all subscribers.
    package let audience: Audience?
    /// The session that led to the envelope; `nil` if no client with a session did.
    package let session: String?
    /// The origin for the log: a line of the program's source, or a client.
    package let origin: String?
    /// The time at which a client's request was offered to the Core, as
    /// ``SystemTime/steadyNanoseconds()``; 0 if the time is not measured.
    package let offerTime: UInt64
    /// The span of the envelope's way through the Core; `nil` if the trace is not exported.
    package let span: DispatchSpan?

    package init(
        members: [EnvelopeMember],
        requestID: String? = nil,
        principal: ActionPrincipal? = nil,
        condition: VersionCondition? = nil,
        idempotency: Idempotency? = nil,
        mode: EnvelopeMode = .apply,
        endsBatch: Bool = false,
        returnsState: Bool = false,
        source: ActionSource? = nil,
        watch: EffectWatch? = nil,
        audience: Audience? = nil,
        session: String? = nil,
        origin: String? = nil,
        canSeeStateMember: (@Sendable (_ member: Int) -> Bool)? = nil,
        isLimitedToReadableSlices: Bool = false,
        offerTime: UInt64 = 0,
        span: DispatchSpan? = nil,
        completion: any Completion
    ) {
        self.offerTime = offerTime
        self.span = span
        self.members = members
        self.requestID = requestID
        self.principal = source == nil ? principal : source?.principal
        self.condition = condition
        self.idempotency = idempotency
        hasIdempotencyKey = idempotency != nil
        self.mode = mode
        self.endsBatch = endsBatch
        self.returnsState = returnsState
        self.source = source
        self.watch = watch ?? source?.watch
        self.audience = audience ?? source?.audience
        self.session = source == nil ? session : source?.session
        self.origin = source?.sourceLocation ?? origin
        self.canSeeStateMember = canSeeStateMember
        self.isLimitedToReadableSlices = isLimitedToReadableSlices
        self.completion = completion
    }

    /// Copies a client's envelope with another condition and the same completion.
    package convenience init(_ other: Envelope, under condition: VersionCondition) {
        self.init(
            members: other.members,
            requestID: other.requestID,
            principal: other.principal,
            condition: condition,
            idempotency: other.idempotency,
            mode: other.mode,
            endsBatch: other.endsBatch,
            returnsState: other.returnsState,
            watch: other.watch,
            audience: other.audience,
            session: other.session,
            origin: other.origin,
            canSeeStateMember: other.canSeeStateMember,
            isLimitedToReadableSlices: other.isLimitedToReadableSlices,
            offerTime: other.offerTime,
            span: other.span,
            completion: other.completion
        )
    }
}

/// An action with the data that the journal stores for the action.
package struct EnvelopeMember: Sendable {
    package let action: any Action
    /// The wire name of the action.
    package let type: String
    /// The fields of the action, as JSON.
    package let payload: [UInt8]
    package let meta: [UInt8]?
    /// The index of the action's type among the program's declared types; -1 for any other type.
    package let typeIndex: Int

    package init(
        action: any Action,
        type: String,
        payload: [UInt8] = [],
        meta: [UInt8]? = nil,
        typeIndex: Int = -1
    ) {
        self.typeIndex = typeIndex
        self.action = action
        self.type = type
        self.payload = payload
        self.meta = meta
    }
}

extension EnvelopeMember {
    /// Makes the member of a client request that is no action. The record of the request and its
    /// consequences belong to `trace`.
    package init(_ request: ClientRequest, in trace: String? = nil) {
        self.init(action: request, type: request.name, payload: Array("{}".utf8))
        self = withTrace(trace)
    }

    /// The wire name with `{id}` in place of an instance's id.
    var wireNameTemplate: String { action.wireNameTemplate(of: type) }
}

/// The part of the program that dispatched an action: an effect, a presenter or a reaction.
package struct ActionSource: Sendable {
    /// The version of the action that led to this action; `nil` if no action did.
    package let cause: UInt64?
    /// The place of the dispatch in the program's source: a file and a line.
    package let sourceLocation: String
    /// The effect that dispatched the action; `nil` if another part of the program did.
    let token: EffectToken?
    /// The session of the action that led to this action.
    package let session: String?
    /// The principal of the action that led to this action.
    let principal: ActionPrincipal?
    /// The trace of the action that led to this action.
    let trace: String?
    /// The watch that ends when all consequences of this action have ended.
    package let watch: EffectWatch?
    /// The observers that get the change; `nil` for all observers.
    var audience: Audience?

    package init(
        cause: UInt64? = nil,
        sourceLocation: String,
        token: EffectToken? = nil,
        session: String? = nil,
        principal: ActionPrincipal? = nil,
        trace: String? = nil,
        watch: EffectWatch? = nil
    ) {
        self.cause = cause
        self.sourceLocation = sourceLocation
        self.token = token
        self.session = session
        self.principal = principal
        self.trace = trace
        self.watch = watch
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

/// The use of an envelope's actions.
package enum EnvelopeMode: Sendable {
    /// Applies all actions or none.
    case apply
    /// Reduces the actions on a copy of the state, which is then dropped.
    case dryRun
}

/// The condition of an envelope: since this version of the state, nothing in ``scope`` may have
/// changed. The type is a class, so that an envelope without a condition stores only an empty
/// reference. Most envelopes have no condition.
package final class VersionCondition: Sendable {
    /// The changes that violate the condition if they come after the condition's version.
    package enum Scope: Sendable {
        /// Every change: only the condition's own version fulfils the condition.
        case everyChange
        /// The changes that the client sees: changes of shared slices, and of the slices of the
        /// client's session and user. If the client's role sees only some members, only changes of
        /// these members.
        case visible((@Sendable (_ member: Int) -> Bool)?)
        /// The changes of these members of the state, without changes of other sessions' slices.
        case stateMembers(@Sendable (_ member: Int) -> Bool)
    }

    package let version: UInt64
    package let scope: Scope

    package init(_ version: UInt64, _ scope: Scope = .visible(nil)) {
        self.version = version
        self.scope = scope
    }
}

/// The named observers and streams that get an event for a change. A change without an audience
/// goes to all observers and streams.
package enum Audience: Sendable, Equatable {
    /// Only observers with these names, and no observer without a name.
    case only(Set<ExactText>)
    /// Every observer that has none of these names.
    case allExcept(Set<ExactText>)

    /// True if an observer with this name gets the event; `nil` stands for an observer without a
    /// name.
    package func includes(_ name: String?) -> Bool {
        let name = name.map { ExactText($0) }
        return switch self {
        case .only(let names): name.map(names.contains) ?? false
        case .allExcept(let names): name.map { !names.contains($0) } ?? true
        }
    }
}
