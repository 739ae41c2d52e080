// What the journal has of requests that came with idempotency keys.

extension Engine {
    /// What became of the request with this key: in this batch, or long ago.
    func outcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        if let pending = batch.keys[key] { return pending }
        if lookedUp.isThere { return lookedUp[key] }
        return try ports.journal?.outcome(of: key)
    }

    /// Looks up the keys of all that a turn begins with.
    ///
    /// Where the journal can't be read, each key is looked up again at its request's turn, and that
    /// request is refused if it still can't be.
    func lookUpKeys(of items: borrowing ContiguousArray<Mailbox.Item>) {
        var keys: [IdempotencyKey] = []
        keys.reserveCapacity(takenKeys)
        for index in items.indices {
            guard case .envelope(let envelope) = items[index],
                let key = envelope.idempotency?.key
            else { continue }
            keys.append(key)
        }
        lookUp(keys)
    }

    /// Looks up the turn's keys again, after another writer has appended.
    func lookUpKeysAgain() {
        guard lookedUp.isThere else { return }
        lookUp(lookedUp.keys)
    }

    /// Notes what was committed under keys, for the rest of the turn.
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
