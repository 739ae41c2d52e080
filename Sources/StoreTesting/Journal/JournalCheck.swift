import StoreCore
import StoreTexts

/// A check of one promise of a journal.
struct JournalCheck {
    let subject: JournalSubject
    let promise: JournalPromise
    private(set) var faults: [JournalFault] = []
    /// The journals that the check has made. These journals are closed at the end of the check.
    private(set) var journalsToClose: [any Journal] = []

    mutating func fail(_ text: String) { faults.append(JournalFault(promise: promise, text: text)) }

    /// Adds a fault if a condition is false.
    mutating func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
        if !holds { fail(text()) }
    }

    /// Adds a fault if a value is not the expected value.
    mutating func expect<Value: Equatable>(_ what: String, _ found: Value, is value: Value) {
        if found != value { fail("\(what) is \(found), not \(value)") }
    }

    /// Adds a journal to the journals that are closed at the end of the check.
    mutating func closeAtEnd(_ journal: any Journal) -> any Journal {
        journalsToClose.append(journal)
        return journal
    }

    /// Adds a fault if the bytes of records differ from the expected records.
    mutating func expect(_ what: String, _ found: [Record], are records: [Record]) {
        if found.map(\.version) != records.map(\.version) {
            let versions = "\(found.map(\.version))"
            return fail("\(what): there are versions \(versions), not \(records.map(\.version))")
        }
        for (one, other) in zip(found, records) where !one.hasSameBytes(as: other) {
            return fail("\(what): version \(one.version) is \(one), not \(other)")
        }
    }

    /// Adds a fault if `body` does not throw this error.
    mutating func expect(
        _ what: String,
        throws error: JournalError,
        _ body: () throws(JournalError) -> Void
    ) {
        do throws(JournalError) {
            try body()
            fail("\(what) does not throw \(error)")
        } catch let thrown {
            if thrown != error { fail("\(what) throws '\(thrown)', not '\(error)'") }
        }
    }
}

extension Record {
    /// Returns true if the records are equal and their texts have the same bytes. `==` also returns
    /// true for texts that differ only in their Unicode form.
    fileprivate func hasSameBytes(as other: Record) -> Bool {
        self == other && type.isSame(as: other.type)
            && Self.isSame(requestID, other.requestID)
            && Self.isSame(origin, other.origin) && Self.isSame(session, other.session)
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        one.map { ExactText($0) } == other.map { ExactText($0) }
    }
}
