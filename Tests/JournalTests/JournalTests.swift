import StoreCore
import Testing

@testable import StoreTesting

/// The bounds of the stored records and snapshots. The promises of every journal are in
/// ``ConformanceTests``.
@Suite struct JournalTests {
    static let kinds: [JournalKind] = [.memory, .shared, .sqlite]

    static func fill(_ journal: any Journal, to version: UInt64, bytes: Int = 0) throws {
        while journal.version < version {
            let last = min(version, journal.version + 100)
            let records = (journal.version + 1...last).map {
                JournalSamples.record($0, bytes: bytes)
            }
            try journal.append(JournalBatch(records: records), at: journal.version)
        }
    }

    @Test(arguments: kinds)
    func `a journal keeps its first and its newest snapshots`(kind: JournalKind) throws {
        let subject = try Subject(
            kind,
            Retention(secondsMax: nil, bytesMax: nil, snapshotsMax: 5)
        )
        try Self.fill(subject.journal, to: 200)
        for version in stride(from: UInt64(10), through: 200, by: 10) {
            try subject.journal.save(
                StateSnapshot(version: version, time: 0, state: [1], form: "f")
            )
        }
        var kept: Set<UInt64> = []
        for version: UInt64 in 1...200 {
            if let found = try subject.journal.snapshot(atOrBefore: version) {
                kept.insert(found.version)
            }
        }
        #expect(kept.count == 5)
        #expect(kept.isSuperset(of: [10, 180, 190, 200]))
        #expect(subject.journal.oldestSnapshotVersion == 10)
    }

    @Test(arguments: kinds)
    func `records beyond the count are gone once a snapshot stands for them`(
        kind: JournalKind
    ) throws {
        let subject = try Subject(
            kind,
            Retention(secondsMax: nil, bytesMax: nil, recordsMax: 1_500)
        )
        try Self.fill(subject.journal, to: 3_000)
        try subject.journal.save(StateSnapshot(version: 1_500, time: 0, state: [1], form: "f"))
        #expect(subject.journal.oldestVersion == 1_501)
        #expect(throws: JournalError.gone(oldest: 1_501)) {
            try subject.journal.read(JournalPageRequest(after: 1_499, limit: 1))
        }
        let page = try subject.journal.read(JournalPageRequest(after: 1_500, limit: 1))
        #expect(page.records == [JournalSamples.record(1_501)])
    }

    @Test(arguments: kinds)
    func `appends and reads go on after records were forgotten`(kind: JournalKind) throws {
        let subject = try Subject(kind, Retention(secondsMax: nil, bytesMax: nil, recordsMax: 10))
        try Self.fill(subject.journal, to: 50)
        try subject.journal.save(StateSnapshot(version: 40, time: 0, state: [1], form: "f"))
        try Self.fill(subject.journal, to: 60)
        #expect(
            try subject.journal.read(JournalPageRequest(after: 50, limit: 100)).records
                == (51...60).map { JournalSamples.record($0) }
        )
    }

    @Test func `two journals have two epochs`() throws {
        let one = try Subject(.sqlite)
        let other = try Subject(.sqlite)
        #expect(one.journal.epoch != other.journal.epoch)
    }
}
