/// What was reduced and is not committed yet.
struct Batch<State: Sendable> {
    var records: [Record] = []
    /// What is to be remembered with the records, by key.
    var kept: [IdempotencyKey: KeptOutcome] = [:]
    var afterCommit: [@Sendable () -> Void] = []
    /// What is to be done outside of the Core, and after which action.
    var effects: [(effect: PendingEffect, cause: EffectCause)] = []
    /// What reactions dispatch after the commit.
    var reactions: [(action: any Action, source: ActionSource)] = []
    /// Its actions, kept only where somebody wants to hear of them.
    var applied: [AppliedAction] = []
    /// Who waits for all that follows its actions.
    var watches: [EffectWatch] = []
    /// Who is told of it; `nil` for everybody. One with an audience is a batch of its own.
    var audience: Audience?
    /// Whether an action of it changed the state.
    var hasChanged = false
    /// The states of single versions, kept only while somebody observes.
    var observed: [State] = []
    var outcomes: [(envelope: Envelope<State>, outcome: Outcome<State>)] = []
    /// How many actions it has.
    var actions = 0
    /// The version before its first action.
    var base: UInt64
    /// The state before its first action, kept only where the batch can still be refused.
    var baseState: State?

    init(startingAt version: UInt64) {
        base = version
    }

    var isEmpty: Bool { actions == 0 && outcomes.isEmpty }

    /// Forgets everything and keeps the memory.
    mutating func restart(at version: UInt64) {
        records.removeAll(keepingCapacity: true)
        if !kept.isEmpty { kept.removeAll(keepingCapacity: true) }
        afterCommit.removeAll(keepingCapacity: true)
        if !effects.isEmpty { effects.removeAll() }
        if reactions.count > 0 { reactions.removeAll() }
        if applied.count > 0 { applied.removeAll() }
        if watches.count > 0 { watches.removeAll() }
        audience = nil
        hasChanged = false
        observed.removeAll(keepingCapacity: true)
        outcomes.removeAll(keepingCapacity: true)
        actions = 0
        base = version
        baseState = nil
    }
}
