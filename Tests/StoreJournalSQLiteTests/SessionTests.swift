import StoreCore
import Testing

@testable import StoreJournalSQLite

/// The session of a record: its place in the chain.
@Suite struct SessionTests {
    private static let versions: ClosedRange<UInt64> = 1...12

    /// Returns a record; the versions have every combination of cause, origin and session.
    private static func record(_ version: UInt64) -> Record {
        Record(
            version: version,
            time: 7,
            type: "tapped",
            payload: Array("{}".utf8),
            changed: true,
            cause: version % 2 == 0 ? 0 : nil,
            origin: version / 2 % 2 == 0 ? "Home.swift:1" : nil,
            session: version / 4 % 3 == 0 ? nil : version / 4 % 3 == 1 ? "ada" : ""
        )
    }

    /// Returns the form of a record by its description.
    private static func form(of record: Record, after previous: ChainHash) -> [UInt8] {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        func length(_ count: Int?) -> [UInt8] { bytes(count.map { UInt32($0) } ?? .max) }
        var form = previous.withBytes { Array($0) }
        form += bytes(record.version) + bytes(record.time) + [record.changed ? 1 : 0]
        form += length(record.type.utf8.count) + length(record.payload.count)
        form += length(nil) + length(nil) + length(nil)
        form += Array(record.type.utf8) + record.payload
        guard record.cause != nil || record.origin != nil || record.session != nil else {
            return form
        }
        form += bytes(record.cause ?? .max) + length(record.origin?.utf8.count)
        form += Array((record.origin ?? "").utf8)
        guard let session = record.session else { return form }
        return form + length(session.utf8.count) + Array(session.utf8)
    }

    @Test(arguments: versions)
    func `the hashed form of a record ends with its session`(
        version: UInt64
    ) throws {
        let record = Self.record(version)
        let previous = ChainHash(genesisOf: 1)
        var written = CanonicalBytes()
        let fields = written.replace(with: record, after: previous)
        let form = Self.form(of: record, after: previous)
        #expect(Array(written.bytes) == form)
        #expect(fields.session.map { Array($0) } == record.session.map { Array($0.utf8) })
        var read = CanonicalBytes()
        let start = read.append(fields, after: previous)
        #expect(Array(read.bytes[start...]) == form)
    }

    @Test func `no two records have the same form`() {
        let forms = Self.versions.map { version in
            let record = Self.record(version)
            return Self.form(of: record, after: ChainHash(genesisOf: 1)).dropFirst(40)
        }
        #expect(Set(forms).count == Self.versions.count)
    }

    @Test(
        arguments: [
            "session = 'bob' WHERE version = 4", "session = NULL WHERE version = 4",
            "session = NULL WHERE version = 7", "session = NULL WHERE version = 8",
            "session = 'ada' WHERE version = 8", "session = 'ada' WHERE version = 1",
            "session = '' WHERE version = 3",
            "session = origin, origin = session WHERE version = 5",
            "origin = 'Home.swift:1ada', session = NULL WHERE version = 5",
            "origin = 'Home.swift:', session = '1ada' WHERE version = 5",
        ]
    )
    func `verification finds a session that was changed, taken or added`(change: String) throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        let records = Self.versions.map(Self.record)
        try journal.append(JournalBatch(records: records), at: 0)
        // With this snapshot, the start does not check the records before it.
        try journal.save(SampleHistory.snapshot(Self.versions.upperBound))
        #expect(try journal.read(JournalPageRequest(after: 0, limit: 100)).records == records)
        #expect(try journal.verifyAll().isIntact)
        journal.close()
        try Form1.execute(["UPDATE records SET \(change)"], in: folder)
        let version = try #require(change.split(separator: " ").last)
        let again = try SQLiteJournal.open(folder)
        #expect(
            try again.verifyAll().faults == ["record \(version) has changed since it was written"]
        )
        again.close()
    }
}
