import Glibc
import Testing

@testable import Telemetry

@Suite struct LogTests {
    @Test func `a pipe without a reader costs lines, each of them counted, and no time`() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = LogWriter(descriptor: ends[1])
        let line = LogLine(.notice, String(repeating: "x", count: 99))
        let offered = 3 * LogWriter.queueLinesMax

        for _ in 0..<offered { log.offer(line) }

        var text = ""
        while Self.accountedFor(in: text) < offered { text += try readSome(ends[0]) }
        #expect(Self.accountedFor(in: text) == offered)
        #expect(text.contains("lines are lost"))
        log.offer(line)
        log.flush(seconds: 10)
        #expect(try readSome(ends[0]) == "store-server: \(line.message)\n")
    }

    @Test func `details leave room for what an operator has to read`() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = LogWriter(descriptor: ends[1])
        let detail = LogLine(.notice, String(repeating: "x", count: 999))
        let offered = 10 * LogWriter.queueLinesMax

        for _ in 0..<10 {
            log.offer(details: LogWriter.queueLinesMax) { Array(repeating: detail, count: $0) }
        }
        log.offer(LogLine(.warning, "the disk is full"))

        var text = ""
        while Self.accountedFor(in: text) < offered + 1 { text += try readSome(ends[0]) }
        #expect(Self.accountedFor(in: text) == offered + 1)
        #expect(text.contains("the disk is full"))
    }

    @Test func `what a client sends forges no line`() {
        let line = LogLine(.error, "a\u{1B}[31m\nstore-server: b\u{7F}")
        #expect(
            String(decoding: line.bytes(of: "store"), as: UTF8.self)
                == "store: error: a?[31m?store-server: b?\n"
        )
    }

    @Test
    func `lines go to the program's output, in their order, and the rest when the logger ends`()
        async
    {
        let (lines, written) = AsyncStream.makeStream(of: LogLine.self)
        do {
            let logger = Logger(LogWriter { written.yield($0) })
            logger.notice("one")
            logger.warning("two")
            logger.details(2) { ["three", "four"].prefix($0).map { $0 } }
        }
        var found: [String] = []
        for await line in lines {
            found.append("\(line.level) \(line.message)")
            if found.count == 4 { break }
        }
        #expect(found == ["notice one", "warning two", "notice three", "notice four"])
    }

    /// How many lines are there or said to be lost.
    private static func accountedFor(in text: String) -> Int {
        let lines = text.split(separator: "\n")
        let told = lines.filter { $0.hasSuffix("lines are lost") }
        let lost = told.compactMap { Int($0.split(separator: " ")[2]) }
        return lines.count - told.count + lost.reduce(0, +)
    }

    private func readSome(_ descriptor: CInt) throws -> String {
        var awaited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&awaited, 1, 10_000) == 1, "nothing comes")
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(descriptor, &buffer, buffer.count)
        try #require(count > 0)
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

@Suite struct LossReportTests {
    private let start = ContinuousClock.now

    @Test func `a loss is logged once, and its end once`() {
        var report = LossReport()
        let said = (0..<10).map { report.lost(at: start + .seconds($0)) }
        #expect(said == [true] + Array(repeating: false, count: 9))
        let over = (0..<3).map { _ in report.wrote() }
        #expect(over == [true, false, false])
    }

    @Test func `taking turns makes at most two lines a minute`() {
        var report = LossReport()
        var lines = 0
        for tenth in 0..<3_000 {
            if report.lost(at: start + .milliseconds(100 * tenth)) { lines += 1 }
            if report.wrote() { lines += 1 }
        }
        #expect(lines == 2 * 5)
    }

    @Test func `writing is not worth a word before anything is lost`() {
        var report = LossReport()
        let said = report.wrote()
        #expect(!said)
    }
}
