package import StorePlatform

/// The port that keeps the history: the applied actions, the outcomes of requests with idempotency
/// keys, and snapshots of the state. The Core appends to the journal. The log and the start of a
/// store read the journal.
///
/// Any thread may make any call. If an append is in progress, a call waits at most until that
/// append ends. A Core appends from the thread that does its work, one batch at a time.
///
/// Several programs may write one history, each with a journal of its own. An append names the
/// version that it follows. If two appends follow the same version, the journal refuses the second
/// append. The writer of the refused append then reads the records of the other writer with
/// ``tail(from:)``. `JournalConformance`, in `StoreTesting`, is a suite of tests for a custom
/// journal.
public protocol Journal: AnyObject, Sendable {
    /// The id of the continuous history in the journal. Versions of two epochs are not comparable:
    /// the same number may stand for two different states.
    var epoch: UInt32 { get }
    /// The version of the newest record; 0 if the history never had a record.
    var version: UInt64 { get }
    /// The version of the oldest record that can still be read; one more than ``version`` if no
    /// record can be read.
    var oldestVersion: UInt64 { get }
    /// True if an append can fail, as on a disk. Such an append also takes time, so the Core lets
    /// other threads fill its mailbox before it takes the next batch.
    var canFail: Bool { get }

    /// Appends a whole batch or nothing, and returns when the batch is durable.
    ///
    /// - Parameters:
    ///   - batch: the records and the outcomes. The versions of the records follow `expected`
    ///     without a gap.
    ///   - expected: the version that the history must have before the append.
    /// - Throws: ``JournalError/conflict(version:)`` if the history has another version; the
    ///   journal then writes nothing. Any other failure is another ``JournalError``.
    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError)

    /// Returns the first records of all writers after a version; an empty array if there are no
    /// later records.
    ///
    /// The function skips no record that was durable when the call began, even if another writer
    /// appended the record after the last update of ``version``. The default implementation reads a
    /// page with ``read(_:)``. The default is correct only if no other process writes the journal.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` if the history no longer has the next record.
    func tail(from version: UInt64) throws(JournalError) -> [Record]

    /// Starts to call `appended`, with the newest version, each time that other writers append.
    ///
    /// The journal calls `appended` on any thread, and holds no lock of its own meanwhile.
    /// `appended` must return soon. The journal may make a single call for several appends. The
    /// default implementation returns `nil`, for a journal that only this process writes.
    ///
    /// - Returns: the command that ends the calls; `nil` if the journal cannot notice other
    ///   writers. A Core then reads the records of other writers only if the journal refuses an
    ///   append, or if a request refers to a newer version.
    func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand?

    /// Returns the records of a page, in the order of their versions.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` if the history no longer has the first record.
    func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords

    /// Returns the stored outcomes of the requests with these keys. A key that is missing in the
    /// result was never used, or its outcome was removed. Keys are compared by their bytes.
    func outcomes(of keys: [IdempotencyKey]) throws(JournalError) -> [IdempotencyKey: KeptOutcome]

    /// Stores the state of a durable version. Removes the snapshots, records and outcomes that
    /// exceed the bounds of the journal.
    func save(_ snapshot: StateSnapshot) throws(JournalError)

    /// Stores the description of a program that is about to append: the names and forms of its
    /// actions. Returns the number that the program's records have as ``Record/program``.
    ///
    /// Programs with the same digest get the same number. After the call, the program is the last
    /// element of ``programs()``. A journal stores at most ``RegisteredProgram/countMax`` programs,
    /// and gives each program a different number.
    ///
    /// - Throws: the errors of an append.
    func register(_ program: ProgramDescription) throws(JournalError) -> UInt32

    /// Returns the stored programs, in the order of their last registrations.
    func programs() throws(JournalError) -> [RegisteredProgram]

    /// The version of the oldest snapshot whose later records can all be read; `nil` if there is
    /// none.
    var oldestSnapshotVersion: UInt64? { get }

    /// The version of the newest snapshot; `nil` if there is none.
    var newestSnapshotVersion: UInt64? { get }

    /// Returns the newest snapshot of `version` or before; `nil` if there is none.
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot?

    /// Closes files and connections. Later calls of other functions may fail; a second call of this
    /// function is allowed. The default implementation does nothing.
    func close()
}

extension Journal {
    /// The maximum number of records that one ``tail(from:)`` returns.
    public static var tailRecordsMax: Int { 1_000 }

    /// The maximum number of bytes of payloads and metas that one ``tail(from:)`` returns. A single
    /// record may have more bytes.
    public static var tailBytesMax: Int { 4 << 20 }

    /// Returns a page from ``read(_:)``. The page skips no record if only this process writes the
    /// journal.
    public func tail(from version: UInt64) throws(JournalError) -> [Record] {
        try read(
            JournalPageRequest(
                after: version,
                limit: Self.tailRecordsMax,
                bytesMax: Self.tailBytesMax
            )
        ).records
    }

    /// Never calls `appended`, and returns `nil`.
    public func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand? { nil }

    /// Does nothing.
    public func close() {}

    /// Returns the stored outcome of the request with this key; `nil` if there is none.
    public func outcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        try outcomes(of: [key])[key]
    }
}

/// The records and the outcomes of one append. The Core makes them from a batch of applied actions.
public struct JournalBatch: Sendable, Equatable {
    /// The applied actions, in the order of their versions.
    public var records: [Record]
    /// The outcomes of the batch's requests with an idempotency key.
    public var outcomes: [KeptOutcome]

    /// Makes a batch.
    public init(records: [Record] = [], outcomes: [KeptOutcome] = []) {
        self.records = records
        self.outcomes = outcomes
    }
}

/// The request for records: the range of the history that ``Journal/read(_:)`` is to return.
public struct JournalPageRequest: Sendable, Equatable {
    /// The version that the records follow.
    public var after: UInt64
    /// The maximum number of records in the page.
    public var limit: Int
    /// The maximum number of bytes of all payloads and metas together. The first record is returned
    /// even if it alone exceeds this bound.
    public var bytesMax: Int
    /// The wire name of the records, compared byte for byte; `nil` for all records.
    public var type: String?

    /// Makes a request for a page.
    public init(after: UInt64, limit: Int, bytesMax: Int = 1 << 20, type: String? = nil) {
        self.after = after
        self.limit = limit
        self.bytesMax = bytesMax
        self.type = type
    }
}

/// The records that ``Journal/read(_:)`` has returned.
public struct JournalRecords: Sendable, Equatable {
    /// The records, in the order of their versions.
    public var records: [Record]
    /// The version up to which the journal has read the history. The next page begins after this
    /// version. On a page of one type, `through` may be greater than the version of the last
    /// record.
    public var through: UInt64

    /// Makes the result of a read.
    public init(records: [Record], through: UInt64) {
        self.records = records
        self.through = through
    }
}

/// The reason why a call of a journal failed.
public enum JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The journal has no room. Nothing was written, and the caller may try again.
    case storageFull
    /// Another writer appended first, and nothing was written. The journal has this version;
    /// ``Journal/tail(from:)`` returns the records of the other writer.
    case conflict(version: UInt64)
    /// The history no longer has the requested records; the oldest record has this version.
    case gone(oldest: UInt64)
    /// The history is not usable: its bytes have changed, or this program cannot apply its records.
    case corrupt(String)
    /// The call failed. If the call was an append, the journal may have written the batch.
    case unknown(String)

    /// The error, in words for the operator.
    public var description: String {
        switch self {
        case .storageFull: "there is no room"
        case .conflict(let version): "another writer has appended up to version \(version)"
        case .gone(let oldest): "the history begins at version \(oldest)"
        case .corrupt(let what), .unknown(let what): what
        }
    }
}

/// The measurements of a journal on disk. `files` has the purpose and the size of each file of the
/// journal. `syncs` has the times that the syncs of batches took.
package typealias JournalFigures = (files: [(file: String, bytes: UInt64)], syncs: Distribution)

/// A journal that measures its files and its syncs. Any thread may read the figures, without
/// waiting for an append.
package protocol MeasuredJournal: Journal {
    var figures: JournalFigures { get }
}
