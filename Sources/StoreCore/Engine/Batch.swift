/// The actions that are reduced and not committed yet.
///
/// A step holds everything that follows from its action. Dropping the steps of a refused envelope
/// therefore drops all of its results.
struct Batch {
    /// The version before the first action of the batch.
    private(set) var base: UInt64
    /// The actions of the batch, in their order.
    var steps: ContiguousArray<Step> = []
    /// The outcomes to store with the records, under their keys.
    var keys: [IdempotencyKey: KeptOutcome] = [:]
    var outcomes: ContiguousArray<Answered> = []
    /// The subscribers that get the changes; `nil` for all. An envelope with an audience is a batch
    /// of its own.
    var audience: Audience?

    /// An envelope and its outcome.
    struct Answered {
        let envelope: Envelope
        let outcome: Outcome
    }

    init(startingAt version: UInt64) {
        base = version
    }

    /// The version that the last action of the batch makes.
    var version: UInt64 { base + UInt64(steps.count) }

    var isEmpty: Bool { steps.count == 0 && outcomes.count == 0 }

    /// Empties the batch but keeps its memory.
    mutating func restart(at version: UInt64) {
        steps.removeAll(keepingCapacity: true)
        if keys.count > 0 { keys.removeAll(keepingCapacity: true) }
        outcomes.removeAll(keepingCapacity: true)
        audience = nil
        base = version
    }
}
