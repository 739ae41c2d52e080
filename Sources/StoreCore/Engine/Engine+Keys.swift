// Whether a request with an idempotency key was applied before. The journal has the outcomes.
//
// A turn is the work on all that the Core took out of its mailbox at once, on a pool on a portion
// of that. Where more than one of its requests has a key, one call of the journal looks all keys
// up, into `lookedUp`; a key that is alone is looked up when its request is run.

extension Engine {
    /// What became of the request that had this key before: in the batch that is not committed yet,
    /// or earlier. `nil` where there was none.
    func outcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        if let pending = batch.keys[key] { return pending }
        if lookedUp.isFilled { return lookedUp[key] }
        return try ports.journal?.outcome(of: key)
    }

    /// Looks up the keys of all requests of a turn, when the turn begins.
    ///
    /// Where the journal can't be read now, each key is looked up when its request is run, and the
    /// request is refused where that fails too.
    func lookUpKeys(of items: borrowing ContiguousArray<Mailbox.Item>, in turn: Range<Int>) {
        var keys: [IdempotencyKey] = []
        keys.reserveCapacity(min(takenKeys, turn.count))
        for index in turn {
            guard case .envelope(let envelope) = items[index],
                let key = envelope.idempotency?.key
            else { continue }
            keys.append(key)
        }
        lookUp(keys)
    }

    /// Looks up the turn's keys again, after another writer of the journal has appended: it may
    /// have used one of them.
    func lookUpKeysAgain() {
        guard lookedUp.isFilled else { return }
        lookUp(lookedUp.keys)
    }

    /// Adds the outcomes that a commit has just made durable, for later requests of the turn with
    /// the same keys.
    func noteCommittedKeys() {
        lookedUp.commit(batch.keys)
    }

    private func lookUp(_ keys: [IdempotencyKey]) {
        if let found = try? ports.journal?.outcomes(of: keys) {
            lookedUp.note(found, of: keys)
        } else {
            lookedUp.forget()
        }
    }
}
