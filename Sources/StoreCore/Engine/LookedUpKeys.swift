/// What the journal has of the idempotency keys of a turn's requests: one call looks all of them
/// up.
///
/// It holds until the turn ends: what this engine commits meanwhile is entered, and after another
/// writer has appended, all keys are looked up again.
struct LookedUpKeys {
    /// The keys of all requests of the turn; none where each is looked up by itself.
    private(set) var keys: [IdempotencyKey] = []
    private var found: [IdempotencyKey: KeptOutcome] = [:]
    /// Whether the next commit is the turn's last, so that nothing asks for what it keeps.
    var isEnding = false

    /// Whether the keys of the turn were looked up.
    var isFilled: Bool { keys.count > 0 }

    /// What is kept of one of the keys.
    subscript(key: IdempotencyKey) -> KeptOutcome? { found[key] }

    /// Notes what one call has found of the turn's keys.
    mutating func note(_ found: [IdempotencyKey: KeptOutcome], of keys: [IdempotencyKey]) {
        self.keys = keys
        self.found = found
    }

    /// Notes what was committed.
    mutating func commit(_ committed: [IdempotencyKey: KeptOutcome]) {
        guard isFilled, !isEnding else { return }
        found.merge(committed) { $1 }
    }

    /// The turn is over, or the journal can't be read.
    mutating func forget() { self = LookedUpKeys() }
}
