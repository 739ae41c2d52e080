import Glibc
import StoreJSON
import StorePlatform
import StoreTexts
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// Readers that get further records when they have taken the earlier records (protocol 5.2).
@Suite(.serialized) struct LogReaderTests {
    private func reader(_ echo: EchoServer, after version: UInt64) throws -> StreamReader {
        try StreamReader(port: echo.port, "/actions?\(version)", seconds: 20)
    }

    private func expect(
        _ versions: ClosedRange<Int>,
        from reader: StreamReader
    ) throws {
        for version in versions {
            let line = try reader.read(through: "\n")
            #expect(line.hasPrefix("v\(version).") || line == "v\(version)\n", "\(line.prefix(20))")
        }
    }

    @Test func `each reader gets every record once, from any beginning`() throws {
        let log = TestLog(version: 1_000)
        let echo = try EchoServer(log: log)
        let readers = try [0, 1, 499, 999].map { ($0, try reader(echo, after: UInt64($0))) }
        for (after, reader) in readers {
            try expect((after + 1)...1_000, from: reader)
            #expect(try reader.read(through: "\n") == "caught up 1000\n")
        }
        log.grow(to: 1_005)
        for (_, reader) in readers { try expect(1_001...1_005, from: reader) }
    }

    @Test func `a reader that has everything is sent caught-up once`() throws {
        let log = TestLog(version: 3)
        let echo = try EchoServer(log: log)
        let reader = try reader(echo, after: 3)
        #expect(try reader.read(through: "\n") == "caught up 3\n")
        for version in 4...50 {
            log.grow(to: UInt64(version))
            try expect(version...version, from: reader)
        }
    }

    @Test func `a record that has to be read first comes after the read`() throws {
        let log = TestLog(version: 4, isReading: true)
        let echo = try EchoServer(log: log)
        let reader = try reader(echo, after: 0)
        log.awaitQuestion()
        log.hasRead()
        try expect(1...4, from: reader)
        #expect(try reader.read(through: "\n") == "caught up 4\n")
    }

    @Test func `a reader gets resync if its history is gone, unless it begins there`() throws {
        let log = TestLog(version: 20, oldest: 10)
        let echo = try EchoServer(log: log)
        let late = try reader(echo, after: 2)
        #expect(try late.read(through: "\n") == "gone\n")
        try expect(10...20, from: late)
        let fresh = try StreamReader(port: echo.port, "/actions")
        try expect(10...20, from: fresh)
    }

    @Test func `an unreadable record ends the stream`() throws {
        let log = TestLog(version: 20, unreadable: 5)
        let echo = try EchoServer(log: log)
        let reader = try reader(echo, after: 0)
        try expect(1...4, from: reader)
        #expect(try reader.isCutOff())
    }

    @Test func `a reader that takes nothing is closed and does not hold up others`() throws {
        var limits = StreamLimits()
        limits.stallSeconds = 1
        let log = TestLog(version: 2_000, frameBytes: 50_000)
        let echo = try EchoServer(limits: limits, log: log)
        let stalled = try reader(echo, after: 0)
        let lively = try reader(echo, after: 1_900)
        try expect(1_901...2_000, from: lively)
        #expect(try lively.read(through: "\n") == "caught up 2000\n")
        let end = ContinuousClock.now + .seconds(20)
        while echo.streams.counters.count(of: .slow) == 0, .now < end {
            log.grow(to: log.newestVersion + 1)
            try expect(Int(log.newestVersion)...Int(log.newestVersion), from: lively)
        }
        #expect(echo.streams.counters.count(of: .slow) == 1)
        // The received records have no hole, and the last frame is the reason for the end.
        var lines: [String] = []
        while let line = try? stalled.read(through: "\n") { lines.append(line) }
        #expect(lines.last == "bye slow\n")
        for (place, line) in lines.dropLast().enumerated() {
            #expect(line.hasPrefix("v\(place + 1).") && line.utf8.count == 50_000)
        }
        #expect(lines.count < 2_000)
        #expect(try stalled.isEnded())
    }

    @Test func `a stop finishes the chunk that is begun, and then sends bye`() throws {
        let log = TestLog(version: 400, frameBytes: 100_000)
        let echo = try EchoServer(log: log)
        let slow = try reader(echo, after: 0)
        let idle = try reader(echo, after: 400)
        #expect(try idle.read(through: "\n") == "caught up 400\n")
        let streams = echo.streams
        startThread("stop") { _ = streams.stop(reason: .shutdown, seconds: 10) }
        #expect(try idle.read(through: "\n") == "bye shutdown\n")
        var lines: [String] = []
        while let line = try? slow.read(through: "\n") { lines.append(line) }
        #expect(lines.last == "bye shutdown\n")
        for (place, line) in lines.dropLast().enumerated() {
            #expect(line.hasPrefix("v\(place + 1).") && line.utf8.count == 100_000)
        }
        #expect(lines.count < 400)
        #expect(try slow.isEnded())
    }

    @Test func `readers are sent heartbeats with the newest version, and operators see them`()
        throws
    {
        var limits = StreamLimits()
        limits.heartbeatSeconds = 1
        let log = TestLog(version: 7)
        let echo = try EchoServer(limits: limits, log: log)
        let reader = try reader(echo, after: 6)
        #expect(try reader.read(through: "\n") == "v7\n")
        #expect(try reader.read(through: "\n") == "caught up 7\n")
        #expect(try reader.read(through: "\n") == "beat 7\n")
        let seen = Locked<[OpenStream]?>(nil)
        echo.streams.listStreams { open in seen.withLock { $0 = open } }
        let end = ContinuousClock.now + .seconds(10)
        while seen.withLock({ $0 == nil }), .now < end { sched_yield() }
        let open = seen.withLock { $0 } ?? []
        #expect(open.map(\.topic) == [.actions])
        #expect(open.map(\.version) == [7])
        #expect(open.map(\.isBehind) == [false])
    }
}

/// A log whose records are lines, a hundred to a piece.
final class TestLog: LogSource {
    private struct State {
        var version: UInt64
        var isReading: Bool
        var isAsked = false
        var streams: StreamWriter?
    }

    private let state: Locked<State>
    private let oldest: UInt64
    private let unreadable: UInt64?
    private let frameBytes: Int

    init(
        version: UInt64,
        oldest: UInt64 = 1,
        unreadable: UInt64? = nil,
        frameBytes: Int = 0,
        isReading: Bool = false
    ) {
        state = Locked(State(version: version, isReading: isReading))
        self.oldest = oldest
        self.unreadable = unreadable
        self.frameBytes = frameBytes
    }

    func attach(_ streams: StreamWriter) {
        state.withLock { $0.streams = streams }
    }

    func grow(to version: UInt64) {
        state.withLock { state in
            state.version = version
            return state.streams
        }?.wakeLogReaders()
    }

    func hasRead() {
        state.withLock { state in
            state.isReading = false
            return state.streams
        }?.wakeLogReaders()
    }

    func awaitQuestion() {
        let end = ContinuousClock.now + .seconds(10)
        while !state.withLock({ $0.isAsked }), .now < end { sched_yield() }
    }

    var newestVersion: UInt64 { state.withLock { $0.version } }

    func next(after version: UInt64, for viewer: Viewer) -> LogAnswer {
        let (newest, isReading) = state.withLock { state in
            state.isAsked = true
            return (state.version, state.isReading)
        }
        if isReading { return .pending }
        if version >= newest { return .caughtUp(version) }
        if version + 1 < oldest { return .gone(resync: Bytes(utf8: "gone\n"), through: oldest - 1) }
        if version + 1 == unreadable { return .unreadable }
        let first = version / 100 * 100 + 1
        var last = min(first + 99, newest)
        if let unreadable, first < unreadable { last = min(last, unreadable - 1) }
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for version in first...last {
            bytes += Array(line(version).utf8)
            ends.append(bytes.count)
        }
        return .piece(LogPiece(firstVersion: first, bytes: Bytes(bytes), frameEnds: ends))
    }

    func caughtUpFrame(at version: UInt64) -> Bytes { Bytes(utf8: "caught up \(version)\n") }

    private func line(_ version: UInt64) -> String {
        let text = "v\(version)"
        let dots = max(0, frameBytes - text.utf8.count - 1)
        return text + String(repeating: ".", count: dots) + "\n"
    }
}
