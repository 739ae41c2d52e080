import Dispatch
import StoreCore

// Checks with several writers, and with readers at the same time.

extension JournalCheck {
    /// Returns the journal of another writer, or the same journal if the subject has no second
    /// writer.
    private mutating func makeOtherWriter(of journal: any Journal) throws -> any Journal {
        guard let another = subject.makeOtherWriter else { return journal }
        return closeAtEnd(try another(journal))
    }

    mutating func checkConflict(_ journal: any Journal) throws {
        let other = try makeOtherWriter(of: journal)
        try JournalSamples.fill(journal, to: 2)
        let outcome = JournalSamples.outcome("k", at: 2)
        for expected: UInt64 in [0, 1, 3] {
            let records = JournalSamples.records(expected + 1...expected + 2)
            let batch = JournalBatch(records: records, outcomes: [outcome])
            expect("an append at \(expected)", throws: .conflict(version: 2)) {
                () throws(JournalError) in try other.append(batch, at: expected)
            }
        }
        expect("the version", journal.version, is: 2)
        expect("the tail", try other.tail(from: 0), are: JournalSamples.records(1...2))
        expect(try journal.outcome(of: outcome.key) == nil, "an outcome was kept")
        try other.append(JournalBatch(records: [JournalSamples.record(3)]), at: 2)
        expect("the version after an append at 2", other.version, is: 3)
    }

    mutating func checkWholeBatches(_ journal: any Journal) throws {
        let reader = try makeOtherWriter(of: journal)
        let size: UInt64 = 7
        let batches: UInt64 = 150
        let faults = Recorder<String>()
        // Both loops are bounded, so that no loop waits for the other loop if there is only one
        // thread.
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            do throws(JournalError) {
                if thread == 0 {
                    for batch in 0..<batches {
                        let first = batch * size
                        let records = JournalSamples.records(first + 1...first + size)
                        try journal.append(JournalBatch(records: records), at: first)
                    }
                } else {
                    for _ in 0..<Self.readsMax where reader.version < size * batches {
                        if let fault = try Self.faultOfRead(in: reader, size) {
                            faults.record(fault)
                        }
                    }
                }
            } catch {
                faults.record(
                    "the journal throws \(error) while one thread writes and another thread reads"
                )
            }
        }
        for text in Set(faults.values).sorted() { fail(text) }
        expect("the version in the end", journal.version, is: size * batches)
    }

    /// The maximum number of reads of a journal while another thread appends to it.
    private static let readsMax = 20_000

    /// Returns the fault: a part of a batch is readable, or a record up to the version is missing.
    /// Returns `nil` if there is no fault.
    private static func faultOfRead(
        in journal: any Journal,
        _ size: UInt64
    ) throws(JournalError) -> String? {
        let version = journal.version
        guard version.isMultiple(of: size) else {
            return "the version of the journal is in the "
                + "middle of a batch"
        }
        let page = JournalPageRequest(
            after: version - min(version, size),
            limit: .max,
            bytesMax: .max
        )
        let newest = try journal.read(page).records.last?.version ?? 0
        guard newest.isMultiple(of: size) else { return "a part of a batch can be read" }
        return newest < version ? "a record up to the journal's version can't be read" : nil
    }

    mutating func checkRace(_ journal: any Journal) throws {
        let writers = 3
        let appendsEach = 60
        var journals = [journal]
        for _ in 1..<writers { journals.append(try makeOtherWriter(of: journal)) }
        let ends = journals
        let won = Recorder<UInt64>()
        let faults = Recorder<String>()
        DispatchQueue.concurrentPerform(iterations: writers) { writer in
            for _ in 0..<appendsEach {
                do throws(JournalError) {
                    try Self.appendAfterNewest(to: ends[writer], as: "writer\(writer)", won)
                } catch {
                    faults.record("writer \(writer) is stopped by \(error)")
                    return
                }
            }
        }
        for text in Set(faults.values).sorted() { fail(text) }
        let count = UInt64(won.values.count)
        expect("the version after \(count) appends", journal.version, is: count)
        expect("who was first", won.values.sorted(), is: Array(1...max(1, count)))
        let page = JournalPageRequest(after: 0, limit: .max, bytesMax: .max)
        let versions = try journal.read(page).records.map(\.version)
        expect("the versions", versions, is: Array(1...max(1, count)))
    }

    /// Appends one record after the newest record. Each conflict means that another writer has
    /// appended a record. So the loop ends soon after the other writers have ended, or earlier.
    private static func appendAfterNewest(
        to journal: any Journal,
        as name: String,
        _ won: Recorder<UInt64>
    ) throws(JournalError) {
        var version = journal.version
        while true {
            let record = JournalSamples.record(version + 1, type: name)
            do throws(JournalError) {
                try journal.append(JournalBatch(records: [record]), at: version)
                return won.record(version + 1)
            } catch {
                guard case .conflict(let newest) = error else { throw error }
                guard newest > version else {
                    throw .unknown(
                        "an append after version \(version) was a conflict with version \(newest), "
                            + "which is not newer"
                    )
                }
                version = newest
            }
        }
    }

    mutating func checkTail(_ journal: any Journal) throws {
        let other = try makeOtherWriter(of: journal)
        try JournalSamples.fill(journal, to: 5)
        expect("the tail from 2", try other.tail(from: 2), are: JournalSamples.records(3...5))
        try other.append(JournalBatch(records: [JournalSamples.record(6)]), at: 5)
        expect("the tail from 5", try journal.tail(from: 5), are: [JournalSamples.record(6)])
        expect("the tail from 6", try journal.tail(from: 6), are: [])
        try JournalSamples.fill(other, to: 2_500)
        var read: [Record] = []
        while true {
            let records = try journal.tail(from: UInt64(read.count))
            if records.isEmpty { break }
            read += records
            guard read.count <= 2_500 else {
                return fail("the tails have more records than were appended")
            }
        }
        expect("all tails", read, are: JournalSamples.records(1...2_500))
    }

    mutating func checkWatch(_ journal: any Journal) throws {
        guard subject.makeOtherWriter != nil else { return }
        let other = try makeOtherWriter(of: journal)
        let seconds = subject.notificationSecondsMax
        let noted = Recorder<UInt64>()
        let isNoted = DispatchSemaphore(value: 0)
        let end = journal.watch { version in
            noted.record(version)
            isNoted.signal()
        }
        guard let end else {
            return fail("the journal can't be watched, although other servers may write")
        }
        for version: UInt64 in 1...3 {
            let batch = JournalBatch(records: [JournalSamples.record(version)])
            try other.append(batch, at: version - 1)
            while noted.values.max() ?? 0 < version {
                guard isNoted.wait(timeout: .now() + seconds) == .success else {
                    return fail("no notification names version \(version)")
                }
            }
        }
        expect(noted.values.allSatisfy { $0 <= 3 }, "notifications of \(noted.values)")
        end()
        let count = noted.values.count
        try other.append(JournalBatch(records: [JournalSamples.record(4)]), at: 3)
        expect("the notifications after the watch has ended", noted.values.count, is: count)
    }
}
