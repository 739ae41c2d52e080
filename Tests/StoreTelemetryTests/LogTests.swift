import Glibc
import Testing

@testable import StoreTelemetry

@Suite struct LogTests {
    @Test func `a pipe without a reader loses lines, counts each, and takes no time`() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = LogWriter(descriptor: ends[1])
        let line = LogLine(.info, String(repeating: "x", count: 99))
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

    @Test func `details leave room for the message to the operator`() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = LogWriter(descriptor: ends[1])
        let detail = LogLine(.info, String(repeating: "x", count: 999))
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

    @Test func `text of a client forges no line`() {
        let line = LogLine(.error, "a\u{1B}[31m\nstore-server: b\u{7F}")
        #expect(
            String(decoding: line.bytes(program: "store"), as: UTF8.self)
                == "store: error: a?[31m?store-server: b?\n"
        )
    }

    @Test func `a line has the same members as text and as JSON`() {
        let line = LogLine(
            .warning,
            .reducerSlow,
            of: "scores",
            "the action takes long",
            [
                LogField("type", .name("a b")), LogField("version", .number(7)),
                LogField("ms", .milliseconds(1.2345)), LogField("changed", .flag(false)),
                LogField("reason", .text("a\"\\\n\u{2028}\u{E0001}é")),
            ],
            at: 1_700_000_000_123_000_000
        )
        #expect(
            String(decoding: line.bytes(program: "store"), as: UTF8.self)
                == #"store: warning: scores: the action takes long type="a b" version=7 ms=1.234 "#
                + #"changed=false reason="a\"\\\u{a}\u{2028}\u{e0001}é" event=reducer.slow "#
                + "time=2023-11-14T22:13:20.123Z\n"
        )
        #expect(
            String(decoding: line.bytes(program: "store", as: .json), as: UTF8.self)
                == #"{"time":"2023-11-14T22:13:20.123Z","level":"warning","event":"reducer.slow","#
                + #""message":"the action takes long","program":"store","store":"scores","#
                + #""type":"a b","version":7,"ms":1.234,"changed":false,"#
                + #""reason":"a\"\\\u000a\u2028\udb40\udc01é"}"# + "\n"
        )
    }

    @Test func `a program's field takes no other field's place`() {
        let fields = [LogField("level", .text("x")), LogField("level", .text("y"))]
        let line = LogLine(.error, .programNoted, "m", fields, at: 0)
        #expect(
            String(decoding: line.bytes(program: "store", as: .json), as: UTF8.self)
                .hasSuffix(#""program":"store","level_":"x","level__":"y"}"# + "\n")
        )
    }

    @Test func `the names of events are lower-case words with a point between`() {
        for event in LogEvent.allCases {
            #expect(event.rawValue.wholeMatch(of: /[a-z]+\.[a-z]+/) != nil, "\(event)")
        }
    }

    @Test func `a line below the level is not made`() {
        let logger = Logger(LogWriter { _ in })
        logger.configure(.text, from: .warning, naming: "store-server")
        #expect(!logger.writes(.info) && logger.writes(.warning) && logger.level == .warning)
    }

    @Test func `lines are counted by their level, also lines without room`() {
        let logger = Logger(LogWriter { _ in })
        logger.configure(.text, from: .info, naming: "store-server")
        logger.debug(.programNoted, "not written")
        for _ in 0..<3 * LogWriter.queueLinesMax { logger.warning(.httpNoted, "no room") }
        logger.naming("chat").info(.programNoted, "of another copy")
        logger.writeDetails(2_000, .actionApplied) { count in
            Array(repeating: ("", []), count: count)
        }
        let lines = logger.counts.countsByLevel.map { "\($0.level.rawValue) \($0.lines)" }
        #expect(lines == ["debug 0", "info 2001", "warning 3072", "error 0"])
        #expect(logger.counts.lastErrors.isEmpty)
    }

    @Test func `the last error of each event has its time`() throws {
        let counts = LogCounts()
        for (event, time) in [(LogEvent.viewFailed, 7), (.effectFailed, 9), (.viewFailed, 8)] {
            counts.note(LogLine(.error, event, "", at: Int64(time)))
        }
        counts.note(LogLine(.warning, .httpNoted, "", at: 10))
        counts.note(LogLine(.error, "a command's end"))
        let last = counts.lastErrors.map { "\($0.event.rawValue) \($0.time)" }
        #expect(last == ["effect.failed 9", "view.failed 8"])
        #expect(counts.countsByLevel.last?.lines == 4)
    }

    @Test
    func `lines go to the program's output, in their order, and the rest when the logger ends`()
        async
    {
        let (lines, written) = AsyncStream.makeStream(of: LogLine.self)
        do {
            let logger = Logger(LogWriter { written.yield($0) })
            logger.info(.serverListening, "one")
            logger.warning(.httpNoted, "two")
            logger.writeDetails(2, .actionApplied) {
                ["three", "four"].prefix($0).map { ($0, []) }
            }
        }
        var found: [String] = []
        for await line in lines {
            found.append("\(line.level) \(line.message)")
            if found.count == 4 { break }
        }
        #expect(found == ["info one", "warning two", "info three", "info four"])
    }

    /// Returns the number of lines that are in the text or reported as lost.
    private static func accountedFor(in text: String) -> Int {
        let lines = text.split(separator: "\n")
        let told = lines.filter { $0.contains("log lines are lost") }
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
        var report = LossReportPace()
        let said = (0..<10).map { report.noteLoss(at: start + .seconds($0)) }
        #expect(said == [true] + Array(repeating: false, count: 9))
        let over = (0..<3).map { _ in report.noteSuccess() }
        #expect(over == [true, false, false])
    }

    @Test func `losses and writes in turns make at most two lines a minute`() {
        var report = LossReportPace()
        var lines = 0
        for tenth in 0..<3_000 {
            if report.noteLoss(at: start + .milliseconds(100 * tenth)) { lines += 1 }
            if report.noteSuccess() { lines += 1 }
        }
        #expect(lines == 2 * 5)
    }

    @Test func `a write before any loss makes no line`() {
        var report = LossReportPace()
        let said = report.noteSuccess()
        #expect(!said)
    }
}
