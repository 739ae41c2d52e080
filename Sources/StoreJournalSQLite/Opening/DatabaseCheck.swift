import StoreCore

/// The check of a database when the journal is opened: its intact contents, and its damage.
struct DatabaseCheck {
    /// The intact contents, from the oldest record to the last intact one.
    var contents: DatabaseContents
    /// The newest intact snapshot. The check reads the records after it.
    private(set) var snapshot: StoredSnapshot?
    /// The first fault; `nil` if everything is intact.
    private(set) var damage: String?
    /// True if the database itself is intact, and only ends too early or does not belong to the
    /// mark file.
    private(set) var isSound = true

    /// Checks the newest snapshot, every record after it, the programs, and the outcomes of
    /// idempotency keys. Passes the snapshot and the records to the follower. The follower's result
    /// is void if there is ``damage``.
    ///
    /// Older records are checked when they are read.
    ///
    /// - Throws: ``ReadFailure/damaged(_:)`` if nothing can be saved: the journal's metadata is
    ///   damaged, or the state can't be made from the intact records. Throws other failures if the
    ///   system can't read.
    init(
        of reader: Reader,
        mark: HighWaterMark?,
        follower: (any HistoryFollower)? = nil,
        log: (String) -> Void
    ) throws(ReadFailure) {
        contents = DatabaseContents(try reader.readMeta())
        let damagedSnapshots = try findSnapshot(reader, log)
        let recordsFault = try Self.fault { () throws(ReadFailure) in
            try reader.checkRecordsReach(from: contents.meta.base, to: start)
        }
        note(recordsFault)
        var programs: [RegisteredProgram] = []
        let programsFault = try Self.fault { () throws(ReadFailure) in
            programs = try reader.programs()
        }
        note(programsFault)
        let marked = try followChain(reader, mark, follower, programs)
        let outcomesFault = try Self.fault { () throws(ReadFailure) in
            var newest: Int64 = 0
            contents.outcomesCount = try reader.countOutcomes { newest = max(newest, $0.time) }
            contents.newestKeyTime = newest
        }
        note(outcomesFault)
        let snapshotsFault = try Self.fault { () throws(ReadFailure) in
            contents.snapshots = try reader.snapshotEntries().filter {
                !damagedSnapshots.contains($0.version) && $0.version <= contents.end.version
            }
        }
        note(snapshotsFault)
        if damage == nil, let mark { compare(with: mark, marked) }
    }

    /// The position after which the check reads records.
    var start: ChainPosition { snapshot?.position ?? contents.meta.base }

    /// Adds a fault that was found outside the database.
    mutating func add(_ fault: String) {
        damage = damage ?? fault
    }

    /// Runs one of the checks. Returns the text of a damage, so that the next check may run; throws
    /// other errors.
    private static func fault(
        _ check: () throws(ReadFailure) -> Void
    ) throws(ReadFailure) -> String? {
        do throws(ReadFailure) {
            try check()
            return nil
        } catch {
            guard error.isDamage else { throw error }
            return "\(error)"
        }
    }

    private mutating func note(_ fault: String?) {
        guard let fault else { return }
        damage = damage ?? fault
        isSound = false
    }

    private mutating func findSnapshot(
        _ reader: Reader,
        _ log: (String) -> Void
    ) throws(ReadFailure) -> Set<UInt64> {
        var damaged: Set<UInt64> = []
        let base = contents.meta.base.version
        do throws(ReadFailure) {
            snapshot = try reader.newestSnapshot { version in
                damaged.insert(version)
                log("the snapshot of version \(version) is damaged; an older one is looked for")
            }
        } catch {
            // The records suffice if they reach back to version 0.
            guard error.isDamage, base == 0 else { throw error }
            note("\(error)")
        }
        if snapshot == nil, base > 0 {
            throw .damaged(
                "no snapshot can be read, and the records before \(base + 1) were forgotten"
            )
        }
        contents.bytesTotal = snapshot?.bytesTotal ?? 0
        contents.end = start
        return damaged
    }

    /// Reads the records after the snapshot.
    ///
    /// - Returns: the hash of the version in the mark file, if it is known.
    private mutating func followChain(
        _ reader: Reader,
        _ mark: HighWaterMark?,
        _ follower: (any HistoryFollower)?,
        _ programs: [RegisteredProgram]
    ) throws(ReadFailure) -> ChainHash? {
        var marked: ChainHash?
        if let mark, contents.meta.base.version...start.version ~= mark.end.version {
            let markFault = try Self.fault { () throws(ReadFailure) in
                marked = try reader.position(at: mark.end.version).hash
            }
            note(markFault)
        }
        let chainFault = try Self.fault { () throws(ReadFailure) in
            defer { reader.resetRecords() }
            let walk = try ChainWalk(
                reader,
                from: start,
                bytesTotal: contents.bytesTotal,
                mark: mark
            )
            let newest = follower == nil ? 0 : try reader.newestVersion()
            let walked = ChainWalk.run(walk, followerFromSnapshot(follower, newest, programs))
            contents.end = walked.end
            contents.bytesTotal = walked.bytesTotal
            marked = walked.marked ?? marked
            if let failure = walked.failure { throw failure }
        }
        note(chainFault)
        return marked
    }

    /// Returns the follower if it continues from the snapshot, else `nil`.
    private func followerFromSnapshot(
        _ follower: (any HistoryFollower)?,
        _ newest: UInt64,
        _ programs: [RegisteredProgram]
    ) -> (any HistoryFollower)? {
        guard let follower, let snapshot,
            let state = Compression.decompress(snapshot.state, size: snapshot.size)
        else { return nil }
        let found = StateSnapshot(
            version: snapshot.position.version,
            time: snapshot.time,
            state: state,
            form: snapshot.form
        )
        return follower.begins(with: found, newest: newest, writtenBy: programs) ? follower : nil
    }

    private mutating func compare(with mark: HighWaterMark, _ marked: ChainHash?) {
        if mark.epoch != contents.meta.epoch {
            damage = "the mark beside the database belongs to another history"
        } else if mark.end.version > contents.end.version {
            damage =
                "the records end at version \(contents.end.version), and version"
                + " \(mark.end.version) was durable already"
        } else if let marked, marked != mark.end.hash {
            damage = "record \(mark.end.version) is not the record that the mark names"
        }
    }
}
