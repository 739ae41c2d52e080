public import StoreCore

/// A check that a journal keeps the promises of ``Journal``.
///
/// ```swift
/// @Test(arguments: JournalPromise.allCases)
/// func `my journal keeps its promises`(promise: JournalPromise) {
///     let subject = JournalSubject(make: { MyJournal() })
///     #expect(JournalConformance.faults(of: subject, in: promise).isEmpty)
/// }
/// ```
///
/// With any other test framework, compare ``faults(of:)`` with an empty list. The check of each
/// promise makes a new journal. All checks together append some 20,000 records.
public enum JournalConformance {
    /// Returns the faults that the checks of all promises find in a journal.
    public static func faults(of subject: JournalSubject) -> [JournalFault] {
        JournalPromise.allCases.flatMap { faults(of: subject, in: $0) }
    }

    /// Returns the faults that the check of one promise finds in a journal. Returns an empty list
    /// if the subject lacks a function that the check needs.
    public static func faults(
        of subject: JournalSubject,
        in promise: JournalPromise
    ) -> [JournalFault] {
        var check = JournalCheck(subject: subject, promise: promise)
        do {
            try check.run()
        } catch {
            check.fail("it throws \(error)")
        }
        for journal in check.journalsToClose { journal.close() }
        return check.faults
    }
}

extension JournalCheck {
    /// Checks the promise with a new journal.
    fileprivate mutating func run() throws {
        let journal = try closeAtEnd(subject.make())
        switch promise {
        case .empty: try checkEmpty(journal)
        case .order: try checkOrder(journal)
        case .bytes: try checkBytes(journal)
        case .size: try checkSize(journal)
        case .pages: try checkPages(journal)
        case .pageBytes: try checkPageBytes(journal)
        case .pageOfType: try checkPageOfType(journal)
        case .end: try checkEnd(journal)
        case .conflict: try checkConflict(journal)
        case .whole: try checkWholeBatches(journal)
        case .race: try checkRace(journal)
        case .tail: try checkTail(journal)
        case .watch: try checkWatch(journal)
        case .outcomes: try checkOutcomes(journal)
        case .newerOutcome: try checkNewerOutcome(journal)
        case .snapshots: try checkSnapshots(journal)
        case .oldSnapshot: try checkOldSnapshot(journal)
        case .forgetting: try checkForgetting(journal)
        case .full: try checkFull(journal)
        case .programs: try checkPrograms(journal)
        case .close: try checkClose(journal)
        case .reopen: try checkReopen(journal)
        }
    }
}

/// The promises of a journal. The raw value of a promise is a sentence.
public enum JournalPromise: String, Sendable, CaseIterable {
    case empty = "an empty journal is at version 0 and has nothing to read"
    case order = "appended records are read in order, unchanged"
    case bytes = "texts are kept, and compared by their bytes"
    case size = "a large record and a large batch are kept"
    case pages = "pages follow one another without a gap"
    case pageBytes = "a page has at most the bytes asked for, or a single larger record"
    case pageOfType = "a page of one type has the last version that the journal searched"
    case end = "a read after the newest version finds no record"
    case conflict = "a batch for another version is a conflict and leaves nothing"
    case whole = "no reader sees a part of a batch"
    case race = "if several writers append after the same version, only one append succeeds"
    case tail = "the tail has all records that writers appended after a version"
    case watch = "a writer is notified when others append"
    case outcomes = "outcomes are found by key and principal, several in one call"
    case newerOutcome = "a later outcome of the same key takes the place of the first"
    case snapshots = "the newest snapshot up to a version is found"
    case oldSnapshot = "a snapshot that is no newer than the kept snapshots changes nothing"
    case forgetting = "forgotten records are reported as gone, and the rest has no hole"
    case full = "without room nothing is written, and an append may be tried again"
    case programs = "programs are kept, each under one number"
    case close = "a journal may be closed twice"
    case reopen = "everything is there when the journal is opened again"
}

/// A kind of journal for ``JournalConformance``, with functions that make and reopen journals of
/// this kind.
///
/// If a function is `nil`, the checks that need this function are left out.
public struct JournalSubject: Sendable {
    /// The function that makes a journal with an empty history of its own.
    public let make: @Sendable () throws -> any Journal
    /// The function that closes a journal and opens its history again, as the next start of a
    /// program does.
    public let reopen: (@Sendable (any Journal) throws -> any Journal)?
    /// The function that makes a second journal on the history of a journal, for another writer.
    public let makeOtherWriter: (@Sendable (any Journal) throws -> any Journal)?
    /// The function that makes an empty journal of at most 100 records. The journal may keep
    /// further records until a snapshot is saved.
    public let makeSmall: (@Sendable () throws -> any Journal)?
    /// The function that bounds the space of a journal. With `true`, the space is less than 10,000
    /// records of 1,000 bytes. With `false`, the function removes the bound.
    public let setFull: (@Sendable (any Journal, Bool) throws -> Void)?
    /// The longest wait for a notification, in seconds.
    public let notificationSecondsMax: Double

    /// Makes a subject.
    public init(
        make: @escaping @Sendable () throws -> any Journal,
        reopen: (@Sendable (any Journal) throws -> any Journal)? = nil,
        another: (@Sendable (any Journal) throws -> any Journal)? = nil,
        makeSmall: (@Sendable () throws -> any Journal)? = nil,
        setFull: (@Sendable (any Journal, Bool) throws -> Void)? = nil,
        notificationSecondsMax: Double = 10
    ) {
        self.make = make
        self.reopen = reopen
        self.makeOtherWriter = another
        self.makeSmall = makeSmall
        self.setFull = setFull
        self.notificationSecondsMax = notificationSecondsMax
    }
}

/// A promise that a journal does not keep.
public struct JournalFault: Error, Sendable, CustomStringConvertible {
    /// The promise that the journal breaks.
    public let promise: JournalPromise
    /// The description of the fault.
    public let text: String

    /// The promise and the description of the fault.
    public var description: String { "\(promise.rawValue): \(text)" }
}
