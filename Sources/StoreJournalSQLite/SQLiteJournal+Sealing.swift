package import StoreCore
import StorePlatform
import Synchronization

// The journal seals personal values when it writes them, and opens them when it reads them.

extension SQLiteJournal: ForgettingJournal {
    package var oldestRestorableVersion: UInt64 { forgottenVersion.withLock { $0 } }

    /// Returns a page with the records in their stored form, for an export.
    package func readStoredRecords(_ page: JournalPageRequest) throws(JournalError)
        -> JournalRecords
    {
        let newest = version
        guard page.after < newest else { return JournalRecords(records: [], through: page.after) }
        return try withReader { (reader) throws(DatabaseFailure) in
            try reader.read(page, newest: newest)
        }
    }

    /// Returns the plain form of a record in its stored form. Without a sealer, returns `record`.
    package func plain(_ record: Record) throws(JournalError) -> Record {
        try sealer?.open(record) ?? record
    }

    /// Counts the records with forgotten members.
    package func countForgotten() throws(JournalError) -> Int {
        var count = 0
        var after = oldestVersion - 1
        while after < version {
            let page = try read(
                JournalPageRequest(after: after, limit: 1_000, bytesMax: Self.tailBytesMax)
            )
            count += page.records.count { $0.isForgotten }
            after = page.through
        }
        return count
    }

    package func prepareForget(_ owners: [String], origin: String) {
        sealer?.keys.prepareRetirement(of: owners, at: origin)
    }

    package func forget(
        _ owners: [String],
        keeping snapshot: (_ version: UInt64) throws -> StateSnapshot
    ) throws -> UInt64 {
        guard let sealer else {
            throw JournalError.unknown("nothing was forgotten: this history has no keys")
        }
        let kept = try saveLock.withLock { _ throws -> UInt64 in
            // No record after this version has a value under a retired key. A start reduces only
            // records after the snapshot.
            let last = appendLock.withLock { _ in
                sealer.keys.endRetirement(of: owners)
                return version
            }
            let state = try snapshot(last)
            guard state.version >= last else {
                throw JournalError.unknown(
                    "nothing was forgotten: the state of version \(last) is not published yet"
                )
            }
            let earlier = sealer.keys.slotsOfSnapshots
            let key = try sealer.keys.key(of: KeyFile.snapshotsOwner, new: true)
            guard try store(state, under: key, replaces: true) else {
                throw JournalError.unknown(
                    "nothing was forgotten: there is a snapshot after version \(state.version)"
                )
            }
            try sealer.keys.destroyRetiredKeys(of: owners, and: earlier)
            forgottenVersion.withLock { $0 = state.version }
            return state.version
        }
        // The keys of a user are under the owner's name, and the keys of a visitor are under the
        // name of its session.
        let keyOwners = owners.map { OwnerName.visitorSession(of: $0) ?? $0 }
        let notice = try withWriter { (writer, _) throws(JournalError) in
            try writer.dropSnapshots(before: kept)
            try writer.dropOutcomes(of: keyOwners)
            return writer.checkpointAll()
        }
        if let notice { log(notice) }
        try applyRetention()
        return kept
    }

    /// Finds the snapshots whose keys are destroyed, and leaves them out of `writer.contents`.
    /// Returns the value of ``oldestRestorableVersion``.
    ///
    /// - Throws: ``JournalOpenError`` if a snapshot is sealed with other keys.
    static func passOverForgottenSnapshots(
        _ writer: Writer,
        _ sealer: RecordSealer?,
        in directory: String
    ) throws(JournalOpenError) -> UInt64 {
        let forms: [UInt64: RecordSealer.StateForm]
        do throws(DatabaseFailure) {
            forms = try writer.formsOfSnapshots(sealer)
        } catch {
            throw JournalOpenError(
                .system,
                "reading the snapshots in \(directory) failed: \(error)",
                hint: "check the disk; nothing was changed"
            )
        }
        guard !forms.values.contains(.foreign) else {
            throw JournalOpenError(
                .foreign,
                "the history in \(directory) is sealed, and "
                    + (sealer.map { "\($0.keys.path) does not have its keys" }
                        ?? "no keys are given"),
                hint: "give the directory of its keys with --personal-keys; a lost file of keys "
                    + "can only be restored from a backup of that file"
            )
        }
        let forgotten = forms.filter { $0.value == .forgotten }
        guard !forgotten.isEmpty else { return 0 }
        writer.contents.snapshots.removeAll { forgotten[$0.version] != nil }
        return writer.contents.snapshots.first?.version ?? .max
    }
}

extension Writer {
    /// Returns the form of each snapshot since the oldest record.
    fileprivate func formsOfSnapshots(
        _ sealer: RecordSealer?
    ) throws(DatabaseFailure) -> [UInt64: RecordSealer.StateForm] {
        let rows = try Statement(
            connection,
            "SELECT version, substr(state, 1, \(RecordSealer.snapshotPrefixBytes)) FROM snapshots"
                + " WHERE version >= ?"
        )
        try rows.bind(1, Int64(clamping: contents.meta.base.version))
        var forms: [UInt64: RecordSealer.StateForm] = [:]
        while try rows.step() {
            let prefix = rows.bytes(1)
            forms[UInt64(bitPattern: rows.integer(0))] =
                sealer?.form(ofState: prefix)
                ?? (prefix.first == SealedPayload.leadingByte ? .foreign : .readable)
        }
        return forms
    }

    /// Deletes the snapshots before a version, except the oldest. The key of the oldest snapshot is
    /// destroyed, which shows that the states before the version were forgotten.
    fileprivate func dropSnapshots(before version: UInt64) throws(JournalError) {
        try withTransaction { (writer) throws(DatabaseFailure) in
            let delete = try Statement(
                writer.connection,
                """
                DELETE FROM snapshots WHERE version < ?
                AND version > (SELECT min(version) FROM snapshots)
                """
            )
            try delete.bind(1, Int64(clamping: version))
            try delete.run()
        }
        contents.snapshots.removeAll { $0.version < version }
    }

    /// Deletes the outcomes of requests whose keys have these owners, because an outcome contains a
    /// digest of its request.
    fileprivate func dropOutcomes(of owners: [String]) throws(JournalError) {
        let dropped = try withTransaction { (writer) throws(DatabaseFailure) in
            let delete = try Statement(
                writer.connection,
                "DELETE FROM outcomes WHERE principal = ?"
            )
            var dropped = 0
            var name = CanonicalBytes(capacity: 256)
            for owner in owners {
                name.clear()
                name.append("=" + owner)
                try delete.bind(1, text: name.bytes)
                try delete.run()
                dropped += delete.changedRowsCount
            }
            return dropped
        }
        contents.outcomesCount -= dropped
    }
}
