import StoreCore
import StoreJournalSQLite
import Testing

/// The calls of a follower while a journal is opened.
@Suite struct FollowerTests {
    private final class Follower: HistoryFollower {
        struct Step: Equatable {
            var version: UInt64
            var type: [UInt8]
            var payload: [UInt8]

            init(_ record: RecordView) {
                version = record.version
                type = Array(record.type)
                payload = Array(record.payload)
            }

            init(_ record: Record) {
                version = record.version
                type = Array(record.type.utf8)
                payload = record.payload
            }
        }

        var snapshot: StateSnapshot?
        var steps: [Step] = []
        var pagesCount = 0
        var pagesMax = Int.max
        var begins = true
        var isForgotten = false

        func begin(
            with snapshot: StateSnapshot,
            newest: UInt64,
            writtenBy programs: [RegisteredProgram]
        ) -> Bool {
            self.snapshot = snapshot
            return begins
        }

        func follow(_ page: borrowing RecordPage) -> Bool {
            for index in 0..<page.count { steps.append(Step(page.record(at: index))) }
            pagesCount += 1
            return pagesCount < pagesMax
        }

        func discardResult() { isForgotten = true }
    }

    private func open(
        _ folder: Folder,
        _ follower: Follower,
        acceptDataLoss: Bool = false
    ) throws -> SQLiteJournal {
        try SQLiteJournal(
            directory: folder.path,
            retention: .forever,
            keyClock: nil,
            acceptDataLoss: acceptDataLoss,
            follower: follower,
            log: { _ in }
        )
    }

    /// Returns the records of the journal after a version. Older records may be damaged.
    private func steps(of journal: SQLiteJournal, after: UInt64) throws -> [Follower.Step] {
        var steps: [Follower.Step] = []
        var after = after
        while after < journal.version {
            let page = try journal.read(JournalPageRequest(after: after, limit: 100))
            steps += page.records.map { Follower.Step($0) }
            after = page.through
        }
        return steps
    }

    /// Returns a folder of a history with a snapshot at version 100.
    private func filled(through version: UInt64) throws -> Folder {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 100)
        try journal.save(SampleHistory.snapshot(100))
        try SampleHistory.append(to: journal, through: version)
        journal.close()
        return folder
    }

    @Test(arguments: [100, 101, 1_099, 1_100, 1_101, 5_000])
    func `a follower gets the snapshot and every record after it`(version: UInt64) throws {
        let folder = try filled(through: version)
        let follower = Follower()
        let journal = try open(folder, follower)
        #expect(follower.snapshot == SampleHistory.snapshot(100))
        #expect(follower.steps.map(\.version) == (101..<(version + 1)).map { $0 })
        #expect(try follower.steps == steps(of: journal, after: 100))
        #expect(!follower.isForgotten)
        #expect(journal.version == version)
    }

    @Test func `a journal is checked also if its follower stands back`() throws {
        let folder = try filled(through: 5_000)
        let follower = Follower()
        follower.begins = false
        try open(folder, follower).close()
        #expect(follower.steps.isEmpty)
        let second = Follower()
        second.pagesMax = 2
        let journal = try open(folder, second)
        #expect(second.pagesCount == 2)
        #expect(journal.version == 5_000)
    }

    @Test(arguments: ["store.db", "store.db-wal"], DamageTests.Damage.allCases)
    func `a follower of a damaged journal has the journal's records or drops them`(
        file: String,
        damage: DamageTests.Damage
    ) throws {
        let left = try DamageTests.left()
        let bytes = try #require(left.files.bytes[file])
        var forgotten = 0
        for place in 0..<DamageTests.placesCount {
            var files = left.files
            files.bytes[file] = damage.apply(to: bytes, place: place)
            let folder = try files.write(to: Folder())
            defer { withExtendedLifetime(folder) {} }
            let follower = Follower()
            guard let journal = try? open(folder, follower, acceptDataLoss: true) else { continue }
            defer { journal.close() }
            if follower.isForgotten { forgotten += 1 }
            guard !follower.isForgotten, let snapshot = follower.snapshot else { continue }
            let known = try steps(of: journal, after: snapshot.version)
            #expect(follower.steps == known, "place \(place)")
        }
        #expect(file == "store.db" || forgotten > 0)
    }
}
