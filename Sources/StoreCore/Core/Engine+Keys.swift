// Looking up idempotency keys. The journal has the outcomes of earlier requests.
//
// A turn is the work on all items that the Core took from its mailbox at once. On a pool, a portion
// of these items counts as a turn here. If more than one request of a turn has a key, one call of
// the journal fills `keyOutcomes` for all keys. A single key is looked up when its request runs.

extension Engine {
    /// Returns the outcome of an earlier request with this key, from the current batch or from the
    /// journal; `nil` if there is none.
    func keptOutcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        if let pending = batch.keptOutcomesByKey[key] { return pending }
        if keyOutcomes.isFilled { return keyOutcomes.outcomesByKey[key] }
        return try ports.journal?.outcome(of: key)
    }

    /// Looks up the keys of all requests of a turn, when the turn begins.
    ///
    /// If the journal cannot be read now, each key is looked up when its request runs. If that
    /// look-up fails, too, the request fails.
    func lookUpKeys(of items: borrowing ContiguousArray<Mailbox.Item>, in turn: Range<Int>) {
        var keys: [IdempotencyKey] = []
        keys.reserveCapacity(min(takenKeyCount, turn.count))
        for index in turn {
            if case .envelope(let envelope) = items[index], let key = envelope.idempotency?.key {
                keys.append(key)
            }
        }
        lookUp(keys)
    }

    /// Looks up the turn's keys again after another writer of the journal has appended, possibly
    /// with one of the turn's keys.
    func lookUpKeysAgain() {
        if keyOutcomes.isFilled { lookUp(keyOutcomes.keys) }
    }

    private func lookUp(_ keys: [IdempotencyKey]) {
        let found = try? ports.journal?.outcomes(of: keys)
        keyOutcomes = found.map { KeyOutcomes(keys: keys, outcomesByKey: $0) } ?? KeyOutcomes()
    }

    /// Makes the last commit of a turn, and forgets the outcomes of the turn's keys.
    func commitAtTurnEnd() {
        guard takenKeyCount > 1 else { return commit() }
        keyOutcomes.isBeforeLastCommit = true
        commit()
        keyOutcomes = KeyOutcomes()
    }
}

/// The stored outcomes of the idempotency keys of a turn, from one call of the journal.
///
/// The outcomes are valid until the turn ends. The engine adds the outcomes of its own commits.
/// After another writer has appended, the engine looks up all keys of the turn again.
struct KeyOutcomes {
    /// The keys of all requests of the turn; empty if each key is looked up on its own.
    var keys: [IdempotencyKey] = []
    var outcomesByKey: [IdempotencyKey: KeptOutcome] = [:]
    /// True if the next commit is the last of the turn. No later request of the turn needs the
    /// outcomes of that commit.
    var isBeforeLastCommit = false

    /// True if the keys of the turn were looked up together.
    var isFilled: Bool { keys.count > 0 }

    /// Adds the outcomes of a commit, for later requests of the turn with the same keys.
    mutating func add(_ committed: [IdempotencyKey: KeptOutcome]) {
        if isFilled, !isBeforeLastCommit { outcomesByKey.merge(committed) { $1 } }
    }
}
