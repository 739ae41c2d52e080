import Foundation
import StoreCore
import StoreJournalSQLite

// Measures the journal on SQLite: appends, beside a bare file that is written and synced as often;
// and a long history, which is read in pages and opened again.

@main
enum JournalBench {
    static let recordsCount: UInt64 = 1_000_000
    static let pageRecords = 1_000

    static func main() throws {
        let directory = FileManager.default.currentDirectoryPath + "/.build/journal-bench"
        try? FileManager.default.removeItem(atPath: directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try appends(directory)
        try? FileManager.default.removeItem(atPath: directory)
        try history(directory)
    }

    /// Measures the time until a batch of each size is durable, beside `write` and `fdatasync`.
    private static func appends(_ directory: String) throws {
        print("batch   journal µs   file µs   records/s")
        let journal = try open(directory)
        defer { journal.close() }
        for size in [1, 10, 100, 1_000] as [UInt64] {
            let file = Glibc.open(directory + "/reference", O_RDWR | O_CREAT | O_APPEND, 0o600)
            defer { close(file) }
            let bytes = [UInt8](repeating: 0x20, count: Int(size) * 150)
            var own: [Double] = []
            var bare: [Double] = []
            for _ in 0..<100 {
                let first = journal.version + 1
                let batch = JournalBatch(records: (first..<first + size).map(record))
                own.append(try time { try journal.append(batch, at: first - 1) })
                bare.append(
                    time {
                        _ = write(file, bytes, bytes.count)
                        fdatasync(file)
                    }
                )
            }
            let (median, reference) = (own.sorted()[50], bare.sorted()[50])
            print(
                pad("\(size)", 5),
                pad(String(format: "%.0f", median * 1e6), 12),
                pad(String(format: "%.0f", reference * 1e6), 9),
                pad(String(format: "%.0f", Double(size) / median), 11)
            )
        }
    }

    /// Measures the reading of a long history in pages, with the check of each record, and its
    /// opening.
    private static func history(_ directory: String) throws {
        let journal = try open(directory)
        while journal.version < recordsCount {
            let first = journal.version + 1
            let batch = JournalBatch(records: (first..<first + 10_000).map(record))
            try journal.append(batch, at: first - 1)
        }
        let reads = try (0..<3).map { _ in
            try time {
                var after: UInt64 = 0
                while after < recordsCount {
                    let page = try journal.read(
                        JournalPageRequest(after: after, limit: pageRecords)
                    )
                    after = page.through
                }
            }
        }
        print("\(recordsCount) records in pages of \(pageRecords):", text(reads), "(goal 1.20)")
        journal.close()
        let opens = try (0..<3).map { _ in
            try time { try open(directory).close() }
        }
        print("opened and checked without a snapshot:", text(opens))
    }

    private static func open(_ directory: String) throws -> SQLiteJournal {
        try SQLiteJournal(directory: directory, retention: .forever) { print($0) }
    }

    private static func record(_ version: UInt64) -> Record {
        Record(
            version: version,
            time: 1_700_000_000_000_000_000 + Int64(version),
            type: "StepChangeRequested",
            payload: Array(#"{"step":7}"#.utf8),
            requestID: "3f2a9c1b-\(version)",
            changed: true
        )
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        return try clock.measure { try body() } / .seconds(1)
    }

    private static func text(_ seconds: [Double]) -> String {
        String(format: "%.2f s", seconds.sorted()[seconds.count / 2])
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
