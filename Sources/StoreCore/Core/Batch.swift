/// The reduced actions that are not committed yet.
///
/// A step holds everything that follows from its action. If an envelope is refused, dropping its
/// steps therefore drops all results of the envelope.
struct Batch {
    /// The version before the first action of the batch.
    private(set) var baseVersion: UInt64
    var steps: ContiguousArray<Step> = []
    /// The outcomes of requests with an idempotency key, to store with the records.
    var keptOutcomesByKey: [IdempotencyKey: KeptOutcome] = [:]
    var outcomes: ContiguousArray<EnvelopeOutcome> = []
    /// The subscribers that get the changes; `nil` for all subscribers. An envelope with an
    /// audience is a batch of its own.
    var audience: Audience?

    struct EnvelopeOutcome {
        let envelope: Envelope
        let outcome: Outcome
    }

    init(startingAt version: UInt64) { baseVersion = version }

    /// The version that the last action of the batch makes.
    var version: UInt64 { baseVersion + UInt64(steps.count) }

    var isEmpty: Bool { steps.count == 0 && outcomes.count == 0 }

    /// Empties the batch for the actions after `version`, and keeps the allocated memory.
    mutating func clear(startingAt version: UInt64) {
        steps.removeAll(keepingCapacity: true)
        if keptOutcomesByKey.count > 0 { keptOutcomesByKey.removeAll(keepingCapacity: true) }
        outcomes.removeAll(keepingCapacity: true)
        audience = nil
        baseVersion = version
    }
}

/// The consequences of a reduced action. A step waits in the batch until the commit. If the
/// envelope is refused, is a dry run or cannot be made durable, the step is dropped as a whole.
struct Step {
    /// The action, as it was reduced.
    let reducedAction: ReducedAction
    /// The time at which the Core took the action, in nanoseconds since 1970.
    let time: Int64
    let change: Change
    /// The time that the reducer took; zero if the time is not measured.
    let reducerNanoseconds: UInt64
    /// The work outside the Core that begins after the commit; `nil` if there is none.
    let effect: AnyEffect?
    /// The closures of middleware and interceptors to call after the commit.
    var afterCommit: [@Sendable () -> Void]
    /// The index of the state before the action, among the states that the state owner keeps until
    /// the batch ends. The next index has the state after the action. `nil` if no watcher needs
    /// each state: the state owner then keeps no state.
    let keptStateIndex: Int?

    var envelope: Envelope { reducedAction.envelope }
}

/// A reduced action: a member of an envelope, or an interceptor's action in place of a member or
/// behind it.
///
/// The struct refers to the envelope. Copying the name, the payload and the meta of each action
/// would cost more than reducing the action.
struct ReducedAction {
    /// An action that an interceptor made. The action is not a member of any envelope.
    final class Replacement: Sendable {
        let member: EnvelopeMember

        init(_ member: EnvelopeMember) { self.member = member }
    }

    let envelope: Envelope
    /// The index of the member in ``Envelope/members``.
    let memberIndex: Int
    /// The action that is reduced in place of the member; `nil` if the member itself is reduced.
    var replacement: Replacement?

    var action: any Action { replacement?.member.action ?? envelope.members[memberIndex].action }
    var type: String { replacement?.member.type ?? envelope.members[memberIndex].type }
    /// The index of the action's type among the declared types; -1 for any other type.
    var typeIndex: Int { replacement?.member.typeIndex ?? envelope.members[memberIndex].typeIndex }
    /// The wire name with `{id}` in place of an instance's id.
    var wireNameTemplate: String {
        replacement?.member.wireNameTemplate ?? envelope.members[memberIndex].wireNameTemplate
    }
    var payload: [UInt8] { replacement?.member.payload ?? envelope.members[memberIndex].payload }
    var meta: [UInt8]? {
        replacement == nil ? envelope.members[memberIndex].meta : replacement?.member.meta
    }
}
