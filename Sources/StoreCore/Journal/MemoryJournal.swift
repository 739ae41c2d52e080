import StorePlatform
import Synchronization

/// A journal in memory. The history is lost when the last journal of the history is released, or
/// when the process ends.
///
/// Several writers can share a history. Each writer has a journal of its own:
///
/// ```swift
/// let one = MemoryJournal()
/// let other = one.journalOfSameHistory()
/// ```
///
/// All journals of a history can read a record as soon as one of them has appended the record. Then
/// the appending journal notifies the watchers of the other journals. A writer fails if the history
/// has already dropped the next record for this writer: ``Journal/tail(from:)`` throws
/// ``JournalError/gone(oldest:)``.
///
/// The retention bounds the number of records, keys and snapshots, and the bytes of the records.
/// Beyond a bound, the history drops the oldest entries. A dropped record frees its texts and bytes
/// at once. The array of a batch is freed with the last record of the batch. The bound on bytes
/// counts all memory of a record (``Record/memoryBytes``).
///
/// Outcomes and snapshots are bounded by their number, and their bytes are not counted. The history
/// holds at most a quarter more outcomes than ``Retention/keysMax``, plus 16. The history holds at
/// most ``Retention/snapshotsMax`` snapshots, but 4 are always allowed. The journal ignores the
/// bounds on ages.
public final class MemoryJournal: Journal {
    /// A history and its bounds, shared by the journals of its writers.
    private final class History: Sendable {
        let epoch = UInt32.random(in: 0...UInt32.max)
        let retention: Retention
        let storage: Locked<Storage>

        init(after version: UInt64, _ retention: Retention) {
            self.retention = retention
            storage = Locked(Storage(version: version))
        }
    }

    fileprivate struct Storage {
        /// The arrays of records as they were appended. No record is copied into another array.
        var batches = Ring<[Record]>()
        /// The number of dropped records at the beginning of the first batch.
        var firstBatchDroppedCount = 0
        var recordCount = 0
        var version: UInt64
        /// The memory of the records, in bytes.
        var memoryBytes: UInt64 = 0
        var outcomes: [IdempotencyKey: KeptOutcome] = [:]
        /// The keys in the order of their first use. The oldest keys are dropped first.
        var keys: [IdempotencyKey] = []
        var snapshots: [StateSnapshot] = []
        /// The programs, in the order of their last registrations.
        var programs: [RegisteredProgram] = []
        /// The greatest number that a program has.
        var newestProgramNumber: UInt32 = 0
        var watchers: [Watcher] = []
        /// The id of the newest watcher.
        var newestWatcherID = 0
    }

    fileprivate struct Watcher {
        let id: Int
        /// The journal that watches. The appends of this journal do not notify the watcher.
        let journal: ObjectIdentifier
        let onAppend: @Sendable (UInt64) -> Void
    }

    private let history: History

    private init(_ history: History) { self.history = history }

    /// Begins an empty history.
    ///
    /// - Parameters:
    ///   - version: the version that the first record follows.
    ///   - retention: the bounds of the history.
    public convenience init(version: UInt64 = 0, retention: Retention = .inMemory) {
        self.init(History(after: version, retention))
    }

    /// Returns a journal of the same history, for another writer.
    public func makeJournalOfSameHistory() -> MemoryJournal { MemoryJournal(history) }

    /// The id of the history.
    public var epoch: UInt32 { history.epoch }
    /// The version of the newest record of all writers.
    public var version: UInt64 { history.storage.withLock { $0.version } }
    /// The version of the oldest record that is still stored; one more than ``version`` if no
    /// record is stored.
    public var oldestVersion: UInt64 { history.storage.withLock { $0.oldestVersion } }
    /// Always false. A failed allocation ends the process. A conflict with another writer does not
    /// count as a failure here.
    public var canFail: Bool { false }

    /// Stores a batch, and drops the oldest records beyond the bounds. Then calls the watchers of
    /// the other journals.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        let this = ObjectIdentifier(self)
        let retention = history.retention
        let others = try history.storage.withLock { kept throws(JournalError) in
            guard kept.version == expected else { throw .conflict(version: kept.version) }
            kept.append(batch)
            kept.dropExcess(beyond: retention)
            return kept.watchers.filter { $0.journal != this }
        }
        let newest = expected + UInt64(batch.records.count)
        for watcher in others { watcher.onAppend(newest) }
    }

    /// Calls `appended` after each append of another journal, on the appending thread.
    public func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand? {
        let this = ObjectIdentifier(self)
        let id = history.storage.withLock { kept in
            kept.newestWatcherID += 1
            kept.watchers.append(
                Watcher(id: kept.newestWatcherID, journal: this, onAppend: appended)
            )
            return kept.newestWatcherID
        }
        return PlainCommand { [history] in
            history.storage.withLock { $0.watchers.removeAll { $0.id == id } }
        }
    }

    /// Returns records in order; see ``Journal/read(_:)``.
    public func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        try history.storage.withLock { kept throws(JournalError) in
            guard page.after >= kept.oldestVersion - 1 else {
                throw .gone(oldest: kept.oldestVersion)
            }
            return kept.read(page)
        }
    }

    /// Returns the stored outcomes of the requests with these keys.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        history.storage.withLock { kept in
            var found: [IdempotencyKey: KeptOutcome] = [:]
            for key in keys { found[key] = kept.outcomes[key] }
            return found
        }
    }

    /// Stores the names and forms of a program's actions; see ``Journal/register(_:)``.
    public func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        history.storage.withLock { $0.register(program) }
    }

    /// Returns the programs of all writers, in the order of their last registrations.
    public func programs() throws(JournalError) -> [RegisteredProgram] {
        history.storage.withLock { $0.programs }
    }

    /// Stores a snapshot that is newer than all stored snapshots, and drops surplus snapshots.
    /// Ignores any older snapshot.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        let snapshotsMax = history.retention.snapshotsMax
        history.storage.withLock { kept in
            if let newest = kept.snapshots.last, newest.version >= snapshot.version { return }
            kept.snapshots.append(snapshot)
            let versions = kept.snapshots.map(\.version)
            let surplus = SnapshotLadder.surplus(versions, max: snapshotsMax)
            kept.snapshots.removeAll { surplus.contains($0.version) }
        }
    }

    /// The version of the oldest snapshot whose later records can all be read.
    public var oldestSnapshotVersion: UInt64? {
        history.storage.withLock { kept in
            kept.snapshots.first { $0.version + 1 >= kept.oldestVersion }?.version
        }
    }

    /// The version of the newest snapshot.
    public var newestSnapshotVersion: UInt64? {
        history.storage.withLock { $0.snapshots.last?.version }
    }

    /// Returns the newest snapshot of `version` or before; `nil` if there is none.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        history.storage.withLock { $0.snapshots.last { $0.version <= version } }
    }
}

extension MemoryJournal.Storage {
    fileprivate var oldestVersion: UInt64 { version + 1 - UInt64(recordCount) }

    fileprivate mutating func append(_ batch: JournalBatch) {
        if !batch.records.isEmpty { batches.append(batch.records) }
        recordCount += batch.records.count
        version += UInt64(batch.records.count)
        for index in batch.records.indices {
            memoryBytes += UInt64(batch.records[index].memoryBytes)
        }
        for outcome in batch.outcomes
        where outcomes.updateValue(outcome, forKey: outcome.key) == nil {
            keys.append(outcome.key)
        }
    }

    fileprivate func read(_ page: JournalPageRequest) -> JournalRecords {
        var answer = JournalRecords(records: [], through: max(page.after, version))
        guard page.after < version else { return answer }
        var bytes = 0
        var (batchIndex, recordIndex) = indices(ofVersion: page.after + 1)
        while let records = batches[batchIndex] {
            while recordIndex < records.count {
                defer { recordIndex += 1 }
                guard page.type.map({ records[recordIndex].type.isSame(as: $0) }) ?? true else {
                    continue
                }
                bytes += records[recordIndex].byteCount
                if answer.records.count == page.limit
                    || (bytes > page.bytesMax && !answer.records.isEmpty)
                {
                    answer.through = records[recordIndex].version - 1
                    return answer
                }
                answer.records.append(records[recordIndex])
            }
            batchIndex += 1
            recordIndex = 0
        }
        return answer
    }

    /// Finds the record of a version by binary search. Returns the index of the record's batch, and
    /// the index of the record in this batch.
    private func indices(ofVersion version: UInt64) -> (batch: Int, record: Int) {
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

    fileprivate mutating func register(_ program: ProgramDescription) -> UInt32 {
        if let place = programs.firstIndex(where: { $0.program.digest == program.digest }) {
            let known = programs.remove(at: place)
            programs.append(known)
            return known.number
        }
        newestProgramNumber += 1
        if programs.count == RegisteredProgram.countMax { programs.removeFirst() }
        programs.append(RegisteredProgram(number: newestProgramNumber, program: program))
        return newestProgramNumber
    }

    /// Drops the oldest record.
    private mutating func dropOldestRecord() {
        let place = firstBatchDroppedCount
        let first = batches.changeFirst { (records: inout [Record]) -> (bytes: Int, isLast: Bool) in
            let bytes = records[place].memoryBytes
            records[place] = .placeholder(forVersion: records[place].version)
            return (bytes, place + 1 == records.count)
        }
        guard let first else { return }
        firstBatchDroppedCount = first.isLast ? 0 : place + 1
        if first.isLast { batches.popFirst() }
        recordCount -= 1
        memoryBytes -= UInt64(first.bytes)
    }

    fileprivate mutating func dropExcess(beyond retention: Retention) {
        let bytesMax = retention.bytesMax ?? .max
        let recordsMax = retention.recordsMax.map { Int(clamping: $0) } ?? .max
        while recordCount > recordsMax || (memoryBytes > bytesMax && recordCount > 1) {
            dropOldestRecord()
        }
        let keysMax = Int(clamping: retention.keysMax)
        // Subtracts, because the sum of the maximum and the slack could overflow.
        if keys.count - keysMax > keysMax / 4 + 16 {
            let count = keys.count - keysMax
            for key in keys.prefix(count) { outcomes[key] = nil }
            keys.removeFirst(count)
        }
        // A snapshot is useless after the record that follows the snapshot was dropped. The newest
        // snapshot always stays.
        let oldest = oldestVersion
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

    /// The element at an index; `nil` if there is no element. The first element has the index 0.
    subscript(index: Int) -> Element? {
        0..<count ~= index ? slots[(head + index) & (slots.count - 1)] : nil
    }

    mutating func append(_ element: Element) {
        if count == slots.count { resize(to: max(16, 2 * count)) }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    /// Changes the first element in place. Returns the result of `change`; `nil` if the ring is
    /// empty.
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
        // Moves the elements: a copy would retain each element.
        for index in 0..<count { larger.append(slots[(head + index) & (slots.count - 1)].take()) }
        for _ in count..<capacity { larger.append(nil) }
        slots = larger
        head = 0
    }
}
