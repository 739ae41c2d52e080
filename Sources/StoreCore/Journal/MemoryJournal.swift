import StorePlatform
import Synchronization

/// A journal in memory. Its history ends with the process.
///
/// The journal is bounded by the records, bytes, keys and snapshots of its retention. Beyond a
/// bound, it drops the oldest. A dropped record frees its texts and bytes at once; the array slots
/// are freed with the last record of the batch. The bound on bytes counts all memory of a record
/// (``Record/memoryBytes``).
///
/// Outcomes and snapshots are bounded by their number, and their bytes are not counted. The journal
/// holds at most a quarter more outcomes than ``Retention/keysMax``, plus 16. Its snapshots number
/// at most ``Retention/snapshotsMax``, but 4 are always allowed. The journal ignores ages.
public final class MemoryJournal: Journal {
    fileprivate struct Kept {
        /// The appended arrays, uncopied, so that no record moves.
        var batches = Ring<[Record]>()
        /// The number of dropped records at the beginning of the first batch.
        var forgotten = 0
        var count = 0
        var version: UInt64
        /// The memory of the records, in bytes.
        var bytes: UInt64 = 0
        var outcomes: [IdempotencyKey: KeptOutcome] = [:]
        /// The keys in the order of their first use; the oldest are dropped first.
        var keys: [IdempotencyKey] = []
        var snapshots: [StateSnapshot] = []
        /// The programs, in the order of their last registrations.
        var programs: [RegisteredProgram] = []
        /// The greatest number that a program has.
        var newestProgram: UInt32 = 0
    }

    private let retention: Retention
    private let kept: Locked<Kept>

    /// The id of this process's history.
    public let epoch: UInt32

    /// Makes an empty journal.
    ///
    /// - Parameters:
    ///   - version: the version that the first record follows.
    ///   - retention: the bounds of the journal.
    public init(
        version: UInt64 = 0,
        retention: Retention = .inMemory
    ) {
        self.retention = retention
        epoch = .random(in: 0...UInt32.max)
        kept = Locked(Kept(version: version))
    }

    /// The version of the newest record.
    public var version: UInt64 { kept.withLock { $0.version } }
    /// The version of the oldest record that is still stored; one more than ``version`` if there is
    /// none.
    public var oldest: UInt64 { kept.withLock { $0.oldest } }
    /// Always false: an allocation that fails ends the process, and nothing else can fail.
    public var canFail: Bool { false }

    /// Stores a batch, and drops the oldest records beyond the bounds.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        let conflict: UInt64? = kept.withLock { kept in
            guard kept.version == expected else { return kept.version }
            if !batch.records.isEmpty {
                kept.batches.append(batch.records)
                kept.count += batch.records.count
                for index in batch.records.indices {
                    kept.bytes += UInt64(batch.records[index].memoryBytes)
                }
            }
            kept.version += UInt64(batch.records.count)
            for outcome in batch.outcomes {
                if kept.outcomes.updateValue(outcome, forKey: outcome.key) == nil {
                    kept.keys.append(outcome.key)
                }
            }
            kept.forget(beyond: retention)
            return nil
        }
        if let conflict { throw .conflict(version: conflict) }
    }

    /// Returns records in order; see ``Journal/read(_:)``.
    public func read(_ page: JournalPage) throws(JournalError) -> JournalRecords {
        let (answer, oldest) = kept.withLock { kept -> (JournalRecords?, UInt64) in
            guard page.after >= kept.oldest - 1 else { return (nil, kept.oldest) }
            return (kept.read(page), kept.oldest)
        }
        guard let answer else { throw .gone(oldest: oldest) }
        return answer
    }

    /// Returns the stored outcomes of the requests with these keys.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        kept.withLock { kept in
            var found: [IdempotencyKey: KeptOutcome] = [:]
            for key in keys {
                if let outcome = kept.outcomes[key] { found[key] = outcome }
            }
            return found
        }
    }

    /// Stores a program's names and forms; see ``Journal/register(_:)``.
    public func register(_ program: WritingProgram) throws(JournalError) -> UInt32 {
        kept.withLock { $0.register(program) }
    }

    /// Returns the stored programs, in the order of their last registrations.
    public func programs() throws(JournalError) -> [RegisteredProgram] {
        kept.withLock { $0.programs }
    }

    /// Stores a snapshot that is newer than all others, and drops surplus snapshots.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        kept.withLock { kept in
            guard snapshot.version > kept.snapshots.last?.version ?? 0 || kept.snapshots.isEmpty
            else { return }
            kept.snapshots.append(snapshot)
            let given = SnapshotLadder.surplus(
                kept.snapshots.map(\.version),
                max: retention.snapshotsMax
            )
            kept.snapshots.removeAll { given.contains($0.version) }
        }
    }

    /// The version of the oldest snapshot from which all records up to now can be read.
    public var oldestSnapshot: UInt64? {
        kept.withLock { kept in
            kept.snapshots.first { $0.version + 1 >= kept.oldest }?.version
        }
    }

    /// The version of the newest snapshot.
    public var newestSnapshot: UInt64? { kept.withLock { $0.snapshots.last?.version } }

    /// Returns the newest snapshot of `version` or before; `nil` if there is none.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        kept.withLock { $0.snapshots.last { $0.version <= version } }
    }
}

extension MemoryJournal.Kept {
    fileprivate var oldest: UInt64 { version + 1 - UInt64(count) }

    fileprivate func read(_ page: JournalPage) -> JournalRecords {
        var answer = JournalRecords(records: [], through: max(page.after, version))
        guard page.after < version else { return answer }
        var bytes = 0
        var (batch, place) = place(of: page.after + 1)
        while let records = batches[batch] {
            while place < records.count {
                defer { place += 1 }
                guard page.type.map({ records[place].type.isSame(as: $0) }) ?? true else {
                    continue
                }
                bytes += records[place].bytes
                if answer.records.count == page.limit
                    || (bytes > page.bytesMax && !answer.records.isEmpty)
                {
                    answer.through = records[place].version - 1
                    return answer
                }
                answer.records.append(records[place])
            }
            batch += 1
            place = 0
        }
        return answer
    }

    /// Finds the record of a version by binary search: the index of its batch, and its index there.
    private func place(of version: UInt64) -> (batch: Int, record: Int) {
        var low = 0
        var high = batches.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if let first = batches[middle]?.first, first.version <= version {
                low = middle
            } else {
                high = middle
            }
        }
        guard let first = batches[low]?.first else { return (low, 0) }
        return (low, Int(version - first.version))
    }

    fileprivate mutating func register(_ program: WritingProgram) -> UInt32 {
        if let place = programs.firstIndex(where: { $0.program.digest == program.digest }) {
            let known = programs.remove(at: place)
            programs.append(known)
            return known.number
        }
        newestProgram += 1
        if programs.count == RegisteredProgram.countMax { programs.removeFirst() }
        programs.append(RegisteredProgram(number: newestProgram, program: program))
        return newestProgram
    }

    /// Drops the oldest record.
    private mutating func forgetFirst() {
        let place = forgotten
        let first = batches.changeFirst { (records: inout [Record]) -> (bytes: Int, isLast: Bool) in
            let bytes = records[place].memoryBytes
            records[place] = .forgotten(records[place].version)
            return (bytes, place + 1 == records.count)
        }
        guard let first else { return }
        forgotten = first.isLast ? 0 : place + 1
        if first.isLast { batches.popFirst() }
        count -= 1
        bytes -= UInt64(first.bytes)
    }

    fileprivate mutating func forget(beyond retention: Retention) {
        let bytesMax = retention.bytesMax ?? .max
        let recordsMax = retention.recordsMax.map { Int(clamping: $0) } ?? .max
        while count > recordsMax || (bytes > bytesMax && count > 1) { forgetFirst() }
        if keys.count > retention.keysMax + retention.keysMax / 4 + 16 {
            let count = keys.count - Int(clamping: retention.keysMax)
            for key in keys.prefix(count) { outcomes[key] = nil }
            keys.removeFirst(count)
        }
        // A snapshot without its following records is useless; the newest may still get them.
        let oldest = oldest
        while snapshots.count > 1, snapshots[0].version + 1 < oldest { snapshots.removeFirst() }
    }
}

/// A queue in a circular buffer. Removing the first element releases it at once and moves no other
/// element.
struct Ring<Element> {
    /// The slots; their number is zero or a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The element at an index; the first has the index 0. `nil` if there is no such element.
    subscript(index: Int) -> Element? {
        0..<count ~= index ? slots[(head + index) & (slots.count - 1)] : nil
    }

    mutating func append(_ element: Element) {
        if count == slots.count { resize(to: max(16, 2 * count)) }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Changes the first element in place, and returns the result of `change`; `nil` if there is
    /// none.
    mutating func changeFirst<Result>(_ change: (inout Element) -> Result) -> Result? {
        guard count > 0, var first = slots[head].take() else { return nil }
        defer { slots[head] = first }
        return change(&first)
    }

    /// Removes the first element and returns it. If most slots are then unused, shrinks the buffer.
    @discardableResult
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let first = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        if slots.count > 64, count < slots.count / 8 { resize(to: slots.count / 4) }
        return first
    }

    private mutating func resize(to capacity: Int) {
        var larger: [Element?] = []
        larger.reserveCapacity(capacity)
        // Elements are moved: a copy would retain each.
        for index in 0..<count { larger.append(slots[(head + index) & (slots.count - 1)].take()) }
        for _ in count..<capacity { larger.append(nil) }
        slots = larger
        head = 0
    }
}
