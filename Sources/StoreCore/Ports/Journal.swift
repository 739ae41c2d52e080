/// Keeps the history of a store: the applied actions, what became of requests with idempotency
/// keys, and snapshots of the state. The Core appends to it, and the log and a start read it.
///
/// Any thread may make any call, and none waits for an append longer than that append takes. A Core
/// appends from its own thread, a batch at a time.
///
/// Several programs may write one history, each with a journal of its own: an append names the
/// version that it follows, so of two that follow the same version one is refused. That writer
/// then reads with ``tail(from:)`` what the other one wrote. `JournalConformance`, in
/// `StoreTesting`, is a suite of tests for a journal of your own.
public protocol Journal: AnyObject, Sendable {
    /// Identifies the continuous history that the journal holds. Versions of two epochs are not
    /// comparable: the same number may be another state.
    var epoch: UInt32 { get }
    /// The version of the newest record, 0 where there has been none.
    var version: UInt64 { get }
    /// The oldest version whose record can still be read, or one more than ``version`` where none
    /// can.
    var oldest: UInt64 { get }
    /// Whether an append can fail, as one to a disk can. Where it can, an append also takes time,
    /// so the Core lets other threads fill its mailbox before it takes the next batch.
    var canFail: Bool { get }

    /// Appends a batch whole, or not at all, and returns when it is durable.
    ///
    /// - Parameters:
    ///   - batch: the versions of its records follow `expected` without a hole.
    ///   - expected: the version that the history must be at.
    /// - Throws: ``JournalError/conflict(version:)`` where it is at another version, and nothing
    ///   was written; else another ``JournalError``.
    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError)

    /// The first records after a version, of all writers; empty where there are none.
    ///
    /// It reads all that is durable when it is called, also what other writers appended since
    /// ``version`` was last brought up to date. The default, for a journal that only this process
    /// writes, is a page of ``read(_:)``.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` where history does not reach back that far.
    func tail(from version: UInt64) throws(JournalError) -> [Record]

    /// Begins to call `appended` with the newest version after other writers have appended.
    ///
    /// The journal calls `appended` on any thread, while it holds no lock of its own; `appended`
    /// returns soon. One call may stand for several appends. The default, for a journal that only
    /// this process writes, returns `nil`.
    ///
    /// - Returns: what ends it; `nil` where the journal can't notice what others write. A
    ///   Core then reads it only when an append of its own is refused.
    func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand?

    /// The records that a page asks for, in the order of their versions.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` where history does not reach back that far.
    func read(_ page: JournalPage) throws(JournalError) -> JournalRecords

    /// What became of the requests with these keys, as far as it is still kept: a key that is not
    /// in the result was not used, or its outcome is removed. Keys are compared by their bytes.
    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome]

    /// Keeps the state of a version that is durable already, and removes the snapshots, records and
    /// outcomes that exceed what the journal is set to keep.
    func save(_ snapshot: StateSnapshot) throws(JournalError)

    /// Keeps the names and forms of a program that is about to append, and returns the number that
    /// its records have as ``Record/program``.
    ///
    /// The same digest has the same number. The program is the last of ``programs()`` from now on.
    /// A journal keeps ``KeptProgram/countMax`` programs, and gives no number twice.
    ///
    /// - Throws: as an append does.
    func register(_ program: WritingProgram) throws(JournalError) -> UInt32

    /// The programs that are kept, in the order in which they have registered last.
    func programs() throws(JournalError) -> [KeptProgram]

    /// The version of the oldest snapshot from which all records up to now can still be read.
    var oldestSnapshot: UInt64? { get }

    /// The version of the newest snapshot.
    var newestSnapshot: UInt64? { get }

    /// The newest snapshot of `version` or before, where there is one.
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot?

    /// Closes files and connections; calls after that may fail. Closing twice is no error. The
    /// default does nothing.
    func close()
}

extension Journal {
    /// The bounds of one ``tail(from:)``: 1,000 records, and 4 MiB of payload and meta, which a
    /// single record may exceed.
    public static var tailPage: (recordsMax: Int, bytesMax: Int) { (1_000, 4 << 20) }

    /// The first records after a version, by ``read(_:)``: complete where only this process writes.
    public func tail(from version: UInt64) throws(JournalError) -> [Record] {
        let (recordsMax, bytesMax) = Self.tailPage
        return try read(JournalPage(after: version, limit: recordsMax, bytesMax: bytesMax)).records
    }

    /// Never calls `appended`, and returns `nil`.
    public func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand? { nil }

    /// Does nothing.
    public func close() {}

    /// What became of the request that had this key, if that is still known.
    public func outcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        try outcomes(of: [key])[key]
    }
}

/// What one append makes durable: the Core makes it of the actions that it applied together.
public struct JournalBatch: Sendable, Equatable {
    /// The applied actions, in order.
    public var records: [Record]
    /// The outcomes of the requests among them that had an idempotency key.
    public var outcomes: [KeptOutcome]

    /// Makes a batch.
    public init(records: [Record] = [], outcomes: [KeptOutcome] = []) {
        self.records = records
        self.outcomes = outcomes
    }
}

/// Which part of history ``Journal/read(_:)`` is to return.
public struct JournalPage: Sendable, Equatable {
    /// Only records after this version.
    public var after: UInt64
    /// The most records.
    public var limit: Int
    /// The most bytes of payload and meta together. The first record is returned even where it
    /// alone exceeds this.
    public var bytesMax: Int
    /// Only records of this wire name, byte for byte; `nil` for all.
    public var type: String?

    /// Makes a page of all types.
    public init(after: UInt64, limit: Int, bytesMax: Int = 1 << 20, type: String? = nil) {
        self.after = after
        self.limit = limit
        self.bytesMax = bytesMax
        self.type = type
    }
}

/// The part of history that ``Journal/read(_:)`` returned.
public struct JournalRecords: Sendable, Equatable {
    /// The records, in order.
    public var records: [Record]
    /// History was read up to and including this version, and the next page begins after it. Where
    /// a page is for one type, this may be beyond the last of `records`.
    public var through: UInt64

    /// Makes an answer.
    public init(records: [Record], through: UInt64) {
        self.records = records
        self.through = through
    }
}

/// Why a call of a journal failed.
public enum JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no room; nothing was written, and it may be tried again.
    case storageFull
    /// Another writer was faster, and nothing was written: the journal is at this version.
    /// ``Journal/tail(from:)`` has what is there instead.
    case conflict(version: UInt64)
    /// History begins at this version.
    case gone(oldest: UInt64)
    /// What was read is not what was written.
    case corrupt(String)
    /// It is not known whether anything was written.
    case unknown(String)

    /// What happened, in words for the operator.
    public var description: String {
        switch self {
        case .storageFull: "there is no room"
        case .conflict(let version): "another writer has taken it to version \(version)"
        case .gone(let oldest): "its history begins at version \(oldest)"
        case .corrupt(let what), .unknown(let what): what
        }
    }
}
