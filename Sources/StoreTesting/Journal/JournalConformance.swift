import StoreCore

/// Checks that a journal keeps the promises of ``Journal``.
///
/// ```swift
/// @Test(arguments: JournalPromise.allCases)
/// func `my journal keeps its promises`(promise: JournalPromise) {
///     let subject = JournalSubject(make: { MyJournal() })
///     #expect(JournalConformance.faults(of: subject, in: promise).isEmpty)
/// }
/// ```
///
/// With any other test framework, compare ``faults(of:)`` with an empty list. Each promise is
/// checked with a journal of its own; all promises together append some 20,000 records.
public enum JournalConformance {
    /// Returns the faults of a journal in all promises.
    public static func faults(of subject: JournalSubject) -> [JournalFault] {
        JournalPromise.allCases.flatMap { faults(of: subject, in: $0) }
    }

    /// Returns the faults of a journal in one promise; none if the subject cannot be checked for
    /// it.
    public static func faults(
        of subject: JournalSubject,
        in promise: JournalPromise
    ) -> [JournalFault] {
        var check = JournalCheck(subject, promise)
        do {
            try run(promise, &check)
        } catch {
            check.fail("it throws \(error)")
        }
        for journal in check.made { journal.close() }
        return check.faults
    }

    private static func run(_ promise: JournalPromise, _ check: inout JournalCheck) throws {
        switch promise {
        case .empty: try checkEmpty(&check)
        case .order: try checkOrder(&check)
        case .bytes: try checkBytes(&check)
        case .size: try checkSize(&check)
        case .pages: try checkPages(&check)
        case .pageBytes: try checkPageBytes(&check)
        case .pageOfType: try checkPageOfType(&check)
        case .end: try checkEnd(&check)
        case .conflict: try checkConflict(&check)
        case .whole: try checkWhole(&check)
        case .race: try checkRace(&check)
        case .tail: try checkTail(&check)
        case .watch: try checkWatch(&check)
        case .outcomes: try checkOutcomes(&check)
        case .newerOutcome: try checkNewerOutcome(&check)
        case .snapshots: try checkSnapshots(&check)
        case .oldSnapshot: try checkOldSnapshot(&check)
        case .forgetting: try checkForgetting(&check)
        case .full: try checkFull(&check)
        case .programs: try checkPrograms(&check)
        case .close: try checkClose(&check)
        case .reopen: try checkReopen(&check)
        }
    }
}
