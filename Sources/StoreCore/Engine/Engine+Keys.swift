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
