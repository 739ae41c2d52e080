/// What the journal has of the idempotency keys of a turn's requests: one call looks all of them up.
///
/// It holds until the turn ends: what this engine commits meanwhile is entered, and after another
/// writer has appended, all keys are looked up again.
struct LookedUpKeys {
    /// The keys that were looked up, with `nil` where the journal has none.
    private var outcomes: [IdempotencyKey: KeptOutcome?] = [:]

    var isEmpty: Bool { outcomes.isEmpty }

    /// The keys that were looked up.
    var keys: [IdempotencyKey] { Array(outcomes.keys) }

    /// What was found of a key; `nil` where it was not looked up.
    subscript(key: IdempotencyKey) -> KeptOutcome?? { outcomes[key] }

    /// Notes what one call has found of these keys.
    mutating func note(_ found: [IdempotencyKey: KeptOutcome], of keys: [IdempotencyKey]) {
        for key in keys { outcomes.updateValue(found[key], forKey: key) }
    }

    /// Notes what was committed.
    mutating func commit(_ committed: [IdempotencyKey: KeptOutcome]) {
        for (key, outcome) in committed where outcomes[key] != nil {
            outcomes.updateValue(outcome, forKey: key)
        }
    }

    /// The turn is over.
    mutating func forget() {
        if !outcomes.isEmpty { outcomes.removeAll(keepingCapacity: true) }
    }
}
