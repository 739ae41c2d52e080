/// The stored outcomes of the idempotency keys of a turn, from one call of the journal.
///
/// The outcomes are valid until the turn ends. The engine adds the outcomes of its own commits.
/// After another writer has appended, the engine looks up all keys again.
struct KeyOutcomes {
    /// The keys of all requests of the turn; empty if each key is looked up on its own.
    private(set) var keys: [IdempotencyKey] = []
    private var found: [IdempotencyKey: KeptOutcome] = [:]
    /// True if the next commit is the last of the turn. No later request then needs its outcomes.
    var isEnding = false

    /// True if the keys of the turn were looked up.
    var isFilled: Bool { keys.count > 0 }

    /// The stored outcome of one of the keys; `nil` if there is none.
    subscript(key: IdempotencyKey) -> KeptOutcome? { found[key] }

    /// Replaces the outcomes with the result of one call of the journal.
    mutating func note(_ found: [IdempotencyKey: KeptOutcome], of keys: [IdempotencyKey]) {
        self.keys = keys
        self.found = found
    }

    /// Adds the outcomes of a commit.
    mutating func commit(_ committed: [IdempotencyKey: KeptOutcome]) {
        guard isFilled, !isEnding else { return }
        found.merge(committed) { $1 }
    }

    /// Drops all outcomes, at the end of the turn or if the journal cannot be read.
    mutating func forget() { self = KeyOutcomes() }
}
