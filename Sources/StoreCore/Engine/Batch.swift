/// What was reduced and is not committed yet.
///
/// Whatever follows from an action is in its step, and nowhere else: so an envelope that is refused
/// is forgotten by dropping its steps.
struct Batch {
    /// The version before its first action.
    private(set) var base: UInt64
    /// Its actions, in their order.
    var steps: ContiguousArray<Step> = []
    /// What is to be remembered with the records, by key.
    var keys: [IdempotencyKey: KeptOutcome] = [:]
    var outcomes: ContiguousArray<Answered> = []
    /// Which subscribers get it; `nil` for all. One with an audience is a batch of its own.
    var audience: Audience?

    /// An envelope, and what became of it.
    struct Answered {
        let envelope: Envelope
        let outcome: Outcome
    }

    init(startingAt version: UInt64) {
        base = version
    }

    /// The version that its last action makes.
    var version: UInt64 { base + UInt64(steps.count) }

    var isEmpty: Bool { steps.count == 0 && outcomes.count == 0 }

    /// Forgets everything and keeps the memory.
    mutating func restart(at version: UInt64) {
        steps.removeAll(keepingCapacity: true)
        if keys.count > 0 { keys.removeAll(keepingCapacity: true) }
        outcomes.removeAll(keepingCapacity: true)
        audience = nil
        base = version
    }
}
