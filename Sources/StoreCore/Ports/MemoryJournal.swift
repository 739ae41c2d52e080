import Locks
import Synchronization

/// A journal in memory: as long as the process lives, and no longer.
///
/// Bounded by records and by bytes; beyond either, the oldest are forgotten.
public final class MemoryJournal: Journal {
    private struct Kept {
        var records: [Record] = []
        /// How many records at the front are forgotten but not yet taken out.
        var start = 0
        var version: UInt64
        var bytes = 0
    }

    private let recordsMax: Int
    private let bytesMax: Int
    private let kept: Locked<Kept>

    /// Makes an empty journal.
    ///
    /// - Parameters:
    ///   - version: the version that its first record follows.
    ///   - recordsMax: the most records that are kept.
    ///   - bytesMax: the most bytes that their payloads and meta may take together.
    public init(version: UInt64 = 0, recordsMax: Int = 100_000, bytesMax: Int = 64 << 20) {
        self.recordsMax = max(1, recordsMax)
        self.bytesMax = bytesMax
        kept = Locked(Kept(version: version))
    }

    /// The version of the newest record.
    public var version: UInt64 { kept.withLock { $0.version } }
    /// The oldest version that is still kept.
    public var oldest: UInt64 { kept.withLock { Self.oldest(of: $0) } }
    /// Memory that can't be had ends the process; nothing else can fail.
    public var canFail: Bool { false }

    /// Keeps a batch, and forgets the oldest records where there is no room for both.
    public func append(_ records: [Record], at expected: UInt64) throws(JournalError) {
        let conflict: UInt64? = kept.withLock { kept in
            guard kept.version == expected else { return kept.version }
            for record in records {
                kept.records.append(record)
                kept.bytes += Self.size(of: record)
            }
            kept.version += UInt64(records.count)
            forget(&kept)
            return nil
        }
        if let conflict { throw .conflict(version: conflict) }
    }

    /// Records in order; see ``Journal/read(after:limit:)``.
    public func read(after version: UInt64, limit: Int) throws(JournalError) -> [Record] {
        let (records, oldest) = kept.withLock { kept -> ([Record]?, UInt64) in
            let oldest = Self.oldest(of: kept)
            guard version + 1 >= oldest else { return (nil, oldest) }
            guard version < kept.version else { return ([], oldest) }
            let first = kept.start + Int(version + 1 - oldest)
            let end = min(kept.records.count, first + max(0, limit))
            return (Array(kept.records[first..<end]), oldest)
        }
        guard let records else { throw .gone(oldest: oldest) }
        return records
    }

    private func forget(_ kept: inout Kept) {
        while kept.records.count - kept.start > recordsMax
            || (kept.bytes > bytesMax && kept.records.count - kept.start > 1)
        {
            kept.bytes -= Self.size(of: kept.records[kept.start])
            kept.start += 1
        }
        // Taken out in large pieces, so that forgetting one record does not move all the others.
        if kept.start > 1_024, kept.start > kept.records.count / 2 {
            kept.records.removeFirst(kept.start)
            kept.start = 0
        }
    }

    private static func oldest(of kept: Kept) -> UInt64 {
        kept.version + 1 - UInt64(kept.records.count - kept.start)
    }

    private static func size(of record: Record) -> Int {
        record.payload.count + (record.meta?.count ?? 0)
    }
}
