import StoreCore
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import StoreWire
import Testing

@testable import StoreHistory
@testable import StoreJSON
@testable import StorePublishing
@testable import StoreServer

/// The log of actions through the calls of the stream writer (protocol 5.2).
struct ActionLogTests {
    /// A log over a journal in memory.
    private final class Fixture: Sendable {
        let journal: MemoryJournal
        let log: ActionLog

        init(recordsMax: UInt64 = 100_000, on threads: WorkerThreads = .own()) {
            let retention = Retention(bytesMax: nil, recordsMax: recordsMax)
            journal = MemoryJournal(retention: retention)
            log = ActionLog(
                journal: journal,
                epoch: Epoch(rawValue: 7),
                version: 0,
                logger: .standardError,
                on: threads
            ) {}
            log.start()
        }

        deinit { log.close(seconds: 10) }
    }

    private func append(_ count: Int, to fixture: Fixture, payload: String = "{}") throws {
        let base = fixture.journal.version
        let records = (1...count).map {
            Record(
                version: base + UInt64($0),
                time: 1_600_000_000_123_456_789,
                type: "Counted",
                payload: Array(payload.utf8),
                changed: true
            )
        }
        try fixture.journal.append(JournalBatch(records: records), at: base)
    }

    /// Returns the answer after a version, when the log has read it.
    private func answer(_ fixture: Fixture, after version: UInt64) -> LogAnswer {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            let answer = fixture.log.next(after: version, for: .unrestricted)
            if case .pending = answer, .now < end { continue }
            return answer
        }
    }

    private func piece(_ fixture: Fixture, after version: UInt64) throws -> LogPiece {
        guard case .piece(let piece) = answer(fixture, after: version) else {
            throw Missing(version: version)
        }
        return piece
    }

    private struct Missing: Error {
        let version: UInt64
    }

    @Test func `pages of a distant cause end, however short the time of each search is`() throws {
        let fixture = Fixture()
        let count: UInt64 = 5_000
        let records = (1...count).map { version in
            Record(
                version: version,
                time: 1_600_000_000_123_456_789,
                type: "Counted",
                payload: Array("{}".utf8),
                changed: true,
                cause: version == count ? 1 : nil
            )
        }
        try fixture.journal.append(JournalBatch(records: records), at: 0)
        var (after, pages, found) = (UInt64(1), 0, [UInt64]())
        while after < count {
            let query = LogQuery(after: after, limit: 10, cause: 1)
            var reader = LogPageReader(of: fixture.log, newest: count, query: query)
            reader.searchSecondsMax = 0
            let page = try reader.page()
            try #require(page.searchedThrough > after)
            found += page.records.map(\.version)
            (after, pages) = (page.searchedThrough, pages + 1)
        }
        #expect(found == [count] && pages > 1)
    }

    /// Returns the events of a piece.
    private func events(_ piece: LogPiece) -> [String] {
        var start = 0
        return piece.frameEnds.map { end in
            defer { start = end }
            return String(decoding: piece.bytes.array[start..<end], as: UTF8.self)
        }
    }

    @Test func `a record is one event with its tag and one line of data`() throws {
        let fixture = Fixture()
        try append(1, to: fixture, payload: "{\n \"a\":\r\n1}")
        fixture.log.notePublished(1)
        #expect(
            events(try piece(fixture, after: 0)) == [
                "id: 00000007:1\ndata: {\"version\":1,\"time\":\"2020-09-13T12:26:40.123456789Z\","
                    + "\"type\":\"Counted\",\"payload\":{  \"a\":  1},\"changed\":true}\n\n"
            ]
        )
    }

    @Test(arguments: [
        WorkerThreads.own(), .pool(ThreadPool(name: "test", threadsMax: 2, idleSecondsMax: 1)),
    ])
    func `all records come once and in order, from any beginning`(
        _ threads: WorkerThreads
    ) throws {
        let fixture = Fixture(on: threads)
        try append(1_000, to: fixture)
        fixture.log.notePublished(1_000)
        for start in [0, 1, 255, 256, 257, 700, 999] as [UInt64] {
            var version = start
            while version < 1_000 {
                let piece = try piece(fixture, after: version)
                #expect(piece.contains(version + 1))
                #expect(
                    LogCache.block(of: piece.firstVersion) == LogCache.block(of: piece.lastVersion)
                )
                version = piece.lastVersion
            }
            guard case .caughtUp(1_000) = fixture.log.next(after: version, for: .unrestricted)
            else {
                Issue.record("not caught up after \(version)")
                return
            }
        }
    }

    @Test func `a durable record is not shown before it is published`() throws {
        let fixture = Fixture()
        try append(5, to: fixture)
        fixture.log.notePublished(3)
        #expect(try piece(fixture, after: 0).lastVersion == 3)
        guard case .caughtUp(3) = fixture.log.next(after: 3, for: .unrestricted) else {
            Issue.record("more than the published records")
            return
        }
    }

    @Test func `a published record is read for the readers that wait for it`() throws {
        let fixture = Fixture()
        for version in 1...600 as ClosedRange<UInt64> {
            guard case .caughtUp = fixture.log.next(after: version - 1, for: .unrestricted) else {
                Issue.record("not caught up at \(version - 1)")
                return
            }
            try append(1, to: fixture)
            fixture.log.notePublished(version)
            let piece = try piece(fixture, after: version - 1)
            #expect(piece.lastVersion == version)
        }
        // Later readers get more than one record at a time.
        var (version, pieces) = (0 as UInt64, 0)
        while version < 600 {
            version = try piece(fixture, after: version).lastVersion
            pieces += 1
        }
        #expect(pieces < 20)
    }

    @Test func `pieces are cut by bytes, and a record above the bound still comes`() throws {
        let fixture = Fixture()
        let payload = "\"" + String(repeating: "x", count: 100_000) + "\""
        try append(10, to: fixture, payload: payload)
        try append(1, to: fixture, payload: "\"" + String(repeating: "x", count: 900_000) + "\"")
        fixture.log.notePublished(11)
        var version: UInt64 = 0
        while version < 11 {
            let piece = try piece(fixture, after: version)
            #expect(piece.frameEnds.count == 1 || piece.bytes.count < 2 * LogCache.pieceBytesMax)
            version = piece.lastVersion
        }
        // A reader that begins in the middle of a block reads no earlier records of it.
        let other = Fixture()
        try append(200, to: other, payload: payload)
        other.log.notePublished(200)
        #expect(try piece(other, after: 150).firstVersion == 151)
    }

    @Test func `forgotten history is reported with the version to go on from`() throws {
        let fixture = Fixture(recordsMax: 100)
        try append(500, to: fixture)
        fixture.log.notePublished(500)
        guard case .gone(let reason, let version) = answer(fixture, after: 0) else {
            Issue.record("nothing is gone")
            return
        }
        #expect(version == 400)
        #expect(String(decoding: reason.array, as: UTF8.self).contains("history-gone"))
        #expect(try piece(fixture, after: version).firstVersion == 401)
    }

    @Test func `an unreadable journal ends its readers, and serves them again later`() throws {
        // The log expects more records than the journal has.
        let fixture = Fixture()
        let log = fixture.log
        log.notePublished(10)
        let end = ContinuousClock.now + .seconds(10)
        var isUnreadable = false
        while !isUnreadable, .now < end {
            if case .unreadable = log.next(after: 4, for: .unrestricted) { isUnreadable = true }
        }
        #expect(isUnreadable)
        try append(10, to: fixture)
        // A read that began before the records came may also fail. The next read succeeds.
        let piece = try (try? piece(fixture, after: 4)) ?? piece(fixture, after: 4)
        #expect(piece.contains(5))
    }

    @Test func `a log that never ran can be closed`() {
        ActionLog(
            journal: MemoryJournal(),
            epoch: Epoch(rawValue: 7),
            version: 0,
            logger: .standardError
        ) {}
        .close(seconds: 10)
    }
}
