import StoreCore
import StoreJournalSQLite
import Testing

/// The files of a killed process, each damaged at 200 places. A journal is refused, or has its
/// whole history. If the operator accepts a loss, the history may end earlier, with a report. No
/// damage makes another history.
@Suite struct DamageTests {
    static let placesCount = 200

    enum Damage: String, CaseIterable {
        case truncated, flipped

        /// Returns the bytes, damaged at one of the evenly spread places.
        func apply(to bytes: [UInt8], place: Int) -> [UInt8] {
            let offset = bytes.count * place / DamageTests.placesCount
            switch self {
            case .truncated: return Array(bytes[..<offset])
            case .flipped:
                var bytes = bytes
                bytes[offset] ^= 0xFF
                return bytes
            }
        }
    }

    struct Left {
        var files: Folder.Files
        var epoch: UInt32
        var history: SampleHistory
    }

    /// Returns the files of a directory after an unclean end.
    static func left() throws -> Left {
        let folder = try Folder()
        defer { withExtendedLifetime(folder) {} }
        let first = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: first, through: 200)
        try first.save(SampleHistory.snapshot(200))
        try SampleHistory.append(to: first, through: 350)
        try first.save(SampleHistory.snapshot(330))
        first.close()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 400)
        defer { journal.close() }
        return Left(
            files: try folder.files(),
            epoch: journal.epoch,
            history: try SampleHistory(of: journal)
        )
    }

    @Test(arguments: ["store.db", "store.db-wal"], Damage.allCases)
    func `a damaged file is never taken for a whole file`(file: String, damage: Damage) throws {
        let left = try Self.left()
        let bytes = try #require(left.files.bytes[file])
        try #require(bytes.count > 40_000)
        var counts: [String: Int] = [:]
        for place in 0..<Self.placesCount {
            var files = left.files
            files.bytes[file] = damage.apply(to: bytes, place: place)
            let found = try look(at: files, left)
            counts["strict: " + found, default: 0] += 1
            let accepted = try lookAccepting(files, left)
            counts["accepting: " + accepted, default: 0] += 1
        }
        for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) {
            print("\(file) \(damage.rawValue), \(outcome): \(count)")
        }
    }

    @Test func `a changed outcome is never taken for the stored outcome`() throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 100)
        journal.close()
        let files = try folder.files()
        let bytes = try #require(files.bytes["store.db"])
        // The fingerprint of version 65 is 32 times the letter A; after it come the two versions.
        let place = try #require(
            bytes.indices.dropLast(40).first { bytes[$0..<$0 + 32].allSatisfy { $0 == 65 } }
        )
        for offset in [-3, 0, 31, 32, 33, 34, 41] {
            var files = files
            files.bytes["store.db"]?[place + offset] ^= 1
            let damaged = try files.write(to: Folder())
            defer { withExtendedLifetime(damaged) {} }
            #expect(throws: JournalOpenError.self, "offset \(offset)") {
                try SQLiteJournal.open(damaged)
            }
            let lines = Lines()
            let kept = try SQLiteJournal.open(damaged, acceptDataLoss: true, lines: lines)
            #expect(kept.version == 100)
            #expect(
                try kept.outcome(of: SampleHistory.outcome(60).key) == SampleHistory.outcome(60)
            )
            #expect(try kept.outcome(of: SampleHistory.outcome(65).key) == nil)
            #expect(lines.all.contains { $0.contains("data loss accepted") })
            kept.close()
        }
    }

    private func look(at files: Folder.Files, _ left: Left) throws -> String {
        let lines = Lines()
        let folder = try files.write(to: Folder())
        defer { withExtendedLifetime(folder) {} }
        do {
            let journal = try SQLiteJournal.open(folder, lines: lines)
            defer { journal.close() }
            let history = try SampleHistory(of: journal)
            #expect(history.records == left.history.records)
            #expect(history.outcomes == left.history.outcomes)
            if history.snapshot != left.history.snapshot {
                #expect(!lines.all.isEmpty)
                #expect(history.snapshot == nil || history.snapshot == SampleHistory.snapshot(200))
                return "identical, with an older snapshot"
            }
            #expect(journal.epoch == left.epoch || !lines.all.isEmpty)
            return "identical"
        } catch let error as JournalOpenError {
            #expect(!error.hint.isEmpty)
            return "refused when opened"
        } catch JournalError.corrupt {
            return "refused when read"
        }
    }

    private func lookAccepting(_ files: Folder.Files, _ left: Left) throws -> String {
        let lines = Lines()
        let folder = try files.write(to: Folder())
        defer { withExtendedLifetime(folder) {} }
        do {
            let journal = try SQLiteJournal.open(folder, acceptDataLoss: true, lines: lines)
            defer { journal.close() }
            let history = try SampleHistory(of: journal)
            let end = Int(journal.version)
            let start = Int(journal.oldestVersion - 1)
            #expect(history.records == Array(left.history.records[start..<end]))
            if let snapshot = history.snapshot {
                #expect(snapshot == SampleHistory.snapshot(snapshot.version))
                #expect(snapshot.version <= journal.version)
            } else {
                #expect(journal.oldestVersion == 1)
            }
            for (found, known) in zip(history.outcomes, left.history.outcomes) {
                #expect(found == nil || found == known)
            }
            guard history != left.history || journal.epoch != left.epoch else { return "identical" }
            #expect(!lines.all.isEmpty)
            if journal.epoch == left.epoch { return "identical, with an older snapshot" }
            try SampleHistory.append(to: journal, through: journal.version + 10)
            return history == left.history ? "whole, under a new epoch" : "a prefix that is told of"
        } catch is JournalOpenError {
            return "refused when opened"
        } catch JournalError.corrupt {
            return "refused when read"
        }
    }
}
