/// The port through which applied actions become durable, and through which history is read.
///
/// Any thread may make any call, and none waits for an append longer than that append takes. A Core
/// appends from its own thread, a batch at a time.
///
/// Several writers may share one history, each with a journal of its own: an append names the
/// version that it follows, so of two that follow the same version one is refused. That writer
/// reads by ``tail(from:)`` what was written instead. `StoreTesting` has a suite that tests
/// whether a journal keeps to all of this: `JournalConformance`.
public protocol Journal: AnyObject, Sendable {
    /// Identifies the continuous history that the journal holds; under another number the
    /// same versions may have other states.
    var epoch: UInt32 { get }
    /// The version of the newest record, 0 where there has been none.
    var version: UInt64 { get }
    /// The oldest version whose record can still be read, or one more than ``version`` where none
    /// can.
    var oldest: UInt64 { get }
    /// Whether an append can fail at all. Where it can, the Core keeps the way back open.
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
    /// Gives what is durable when it is called, also where ``version`` is behind that. A journal of
    /// which this process is the only writer needs no method of its own.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` where history does not reach back that far.
    func tail(from version: UInt64) throws(JournalError) -> [Record]

    /// Has `appended` called with the newest version, after others have appended.
    ///
    /// It is called on any thread and while no lock of the journal is held, and it returns soon.
    /// Several appends may be one call. A journal of which this process is the only writer needs no
    /// method of its own.
    ///
    /// - Returns: what ends it; `nil` where the journal can't notice what others write. A
    ///   Core then reads it only when an append of its own is refused.
    func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> Subscription?

    /// Records in order, the first being the first after `page.after` that the page asks for.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` where history does not reach back that far.
    func read(_ page: JournalPage) throws(JournalError) -> JournalRecords

    /// The outcomes that are still kept of requests with these keys. Keys are compared by their
    /// bytes.
    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome]

    /// Keeps the state of a version that is durable already, and forgets snapshots, records and
    /// outcomes that are beyond their bounds.
    func save(_ snapshot: StateSnapshot) throws(JournalError)

    /// The version of the oldest snapshot from which all records up to now can still be read.
    var oldestSnapshot: UInt64? { get }

    /// The version of the newest snapshot.
    var newestSnapshot: UInt64? { get }

    /// The newest snapshot of `version` or before, where there is one.
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot?

    /// Lets go of files and connections; what is asked of the journal afterwards may fail. Closing
    /// twice is no error. A journal that holds nothing needs no method of its own.
    func close()
}

extension Journal {
    /// What a tail has at most: 1,000 records, and 4 MiB of payload and meta where it is more than
    /// one.
    public static var tailPage: (recordsMax: Int, bytesMax: Int) { (1_000, 4 << 20) }

    /// The first records after a version, by ``read(_:)``: right where this process is the only
    /// writer.
    public func tail(from version: UInt64) throws(JournalError) -> [Record] {
        let (recordsMax, bytesMax) = Self.tailPage
        return try read(JournalPage(after: version, limit: recordsMax, bytesMax: bytesMax)).records
    }

    /// Notifies of nothing.
    public func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> Subscription? { nil }

    /// Lets go of nothing.
    public func close() {}

    /// What became of the request that had this key, if that is still known.
    public func outcome(of key: IdempotencyKey) throws(JournalError) -> KeptOutcome? {
        try outcomes(of: [key])[key]
    }
}

/// What one append makes durable.
public struct JournalBatch: Sendable, Equatable {
    /// The applied actions, in order.
    public var records: [Record]
    /// What is to be remembered of those that came with an idempotency key.
    public var outcomes: [KeptOutcome]

    /// Makes a batch.
    public init(records: [Record] = [], outcomes: [KeptOutcome] = []) {
        self.records = records
        self.outcomes = outcomes
    }
}

/// Which records a read returns.
public struct JournalPage: Sendable, Equatable {
    /// Only records after this version.
    public var after: UInt64
    /// The most records.
    public var limit: Int
    /// The most bytes that payloads and meta may take; one record is given however large it is.
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

/// The records that a read returns.
public struct JournalRecords: Sendable, Equatable {
    /// The records, in order.
    public var records: [Record]
    /// Everything that was asked for and is not newer than this version is in `records`: the next
    /// page begins after it.
    public var through: UInt64

    /// Makes an answer.
    public init(records: [Record], through: UInt64) {
        self.records = records
        self.through = through
    }
}

/// Why a journal could not do what it was asked.
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

    /// What happened, in words for the one who runs the program.
    public var description: String {
        switch self {
        case .storageFull: "there is no room"
        case .conflict(let version): "another writer has taken it to version \(version)"
        case .gone(let oldest): "its history begins at version \(oldest)"
        case .corrupt(let what), .unknown(let what): what
        }
    }
}
