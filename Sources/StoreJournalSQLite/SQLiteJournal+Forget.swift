import StoreCore

extension SQLiteJournal {
    /// Deletes records, snapshots and outcomes beyond the bounds, in transactions that are small
    /// enough for appends between them.
    func forget() throws(JournalError) {
        let now = clock.now()
        let retention = retention
        let last = try write { (writer, _) throws(JournalError) -> UInt64 in
            try writer.thinSnapshots(max: retention.snapshotsMax)
            return retention.forgettable(writer, now)
        }
        while try step({ (writer) throws(JournalError) in
            try writer.forgetRecords(through: last)
        }) {}
        if last > 0 {
            // Snapshots before the oldest record are of no use now.
            try write { (writer, _) throws(JournalError) in
                try writer.thinSnapshots(max: retention.snapshotsMax)
            }
        }
        let cutoff = keyClock.now().before(seconds: retention.keySecondsMax)
        while try step({ (writer) throws(JournalError) in
            try writer.forgetOutcomes(before: cutoff, max: Int(clamping: retention.keysMax))
        }) {}
    }

    private func step(
        _ body: (Writer) throws(JournalError) -> Bool
    ) throws(JournalError) -> Bool {
        let (more, notice) = try write { (writer, _) throws(JournalError) in
            (try body(writer), writer.checkpointIfDue())
        }
        if let notice { log(notice) }
        return more
    }
}

extension Retention {
    /// Returns the last version that may be deleted with all records before it; 0 if there is none.
    ///
    /// The result is always the version of a snapshot, so that the remaining records follow a known
    /// state.
    fileprivate func forgettable(_ writer: Writer, _ now: Int64) -> UInt64 {
        let cutoff = secondsMax.map { now.before(seconds: $0) }
        let superseded = writer.snapshots.last { snapshot in
            if let cutoff, snapshot.time < cutoff { return true }
            if let bytesMax, writer.bytesTotal - snapshot.bytesTotal >= bytesMax { return true }
            if let recordsMax, writer.end.version - snapshot.version >= recordsMax { return true }
            return false
        }
        return superseded?.version ?? 0
    }
}

extension Int64 {
    /// Returns the time `seconds` before this time, in nanoseconds since 1970. The result does not
    /// overflow.
    fileprivate func before(seconds: UInt64) -> Int64 {
        let (span, over) = Int64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (time, under) = subtractingReportingOverflow(over ? .max : span)
        return under ? .min : time
    }
}
