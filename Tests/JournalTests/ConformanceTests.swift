import StoreCore
import StoreTesting
import Testing

/// The promises of every journal.
@Suite struct ConformanceTests {
    @Test(arguments: JournalKind.allCases, JournalPromise.allCases)
    func `a journal keeps its promises`(kind: JournalKind, promise: JournalPromise) {
        let faults = JournalConformance.faults(of: kind.subject, in: promise)
        #expect(faults.isEmpty, Comment(rawValue: faults.map(\.text).joined(separator: "; ")))
    }

    @Test(arguments: Defect.allCases)
    func `a journal that breaks a promise is found`(defect: Defect) {
        let subject = JournalSubject(
            make: { DefectiveJournal(MemoryJournal(retention: .forever), defect) },
            reopen: { journal in
                guard let journal = journal as? DefectiveJournal else { throw Foreign() }
                return journal.reopened()
            },
            another: { journal in
                guard let journal = journal as? DefectiveJournal else { throw Foreign() }
                return journal.another()
            },
            makeSmall: {
                let bounds = Retention(secondsMax: nil, bytesMax: nil, recordsMax: 100)
                return DefectiveJournal(MemoryJournal(retention: bounds), defect)
            },
            setFull: { journal, isFull in (journal as? DefectiveJournal)?.setFull(isFull) },
            notificationSecondsMax: defect == .neverNotifies ? 0.1 : 10
        )
        if let promise = defect.breaks {
            #expect(!JournalConformance.faults(of: subject, in: promise).isEmpty)
        } else {
            #expect(JournalConformance.faults(of: subject).map(\.description) == [])
        }
    }
}
