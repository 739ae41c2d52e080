// Looking up idempotency keys. The journal has the outcomes of earlier requests.
//
// A turn is the work on all items that the Core took from its mailbox at once; on a pool, on a
// portion of them. If more than one request of a turn has a key, one call of the journal looks up
// all keys, into `keyOutcomes`. A single key is looked up when its request runs.

extension Engine {
    /// Returns the outcome of an earlier request with this key, from the current batch or from the
    /// journal; `nil` if there is none.
    func keptOutcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        if let pending = batch.keys[key] { return pending }
        if keyOutcomes.isFilled { return keyOutcomes[key] }
        return try ports.journal?.outcome(of: key)
    }

    /// Looks up the keys of all requests of a turn, when the turn begins.
    ///
    /// If the journal cannot be read now, each key is looked up when its request runs. If that
    /// fails as well, the request fails.
    func lookUpKeys(of items: borrowing ContiguousArray<Mailbox.Item>, in turn: Range<Int>) {
        var keys: [IdempotencyKey] = []
        keys.reserveCapacity(min(drainedKeyCount, turn.count))
        for index in turn {
            guard case .envelope(let envelope) = items[index],
                let key = envelope.idempotency?.key
            else { continue }
            keys.append(key)
        }
        lookUp(keys)
    }

    /// Looks up the turn's keys again after another writer of the journal has appended, possibly
    /// with one of these keys.
    func lookUpKeysAgain() {
        guard keyOutcomes.isFilled else { return }
        lookUp(keyOutcomes.keys)
    }

    /// Adds the outcomes of the last commit, for later requests of the turn with the same keys.
    func noteCommittedKeys() {
        keyOutcomes.commit(batch.keys)
    }

    private func lookUp(_ keys: [IdempotencyKey]) {
        if let found = try? ports.journal?.outcomes(of: keys) {
            keyOutcomes.note(found, of: keys)
        } else {
            keyOutcomes.forget()
        }
    }
}

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
