import StoreJSON
import StoreTestSupport
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

@Suite(.serialized) struct StreamWriterTests {
    private func reader(_ echo: EchoServer, seconds: Int = 10) throws -> StreamReader {
        try StreamReader(port: echo.port, "/events", seconds: seconds)
    }

    /// Returns the next line that is no heartbeat. With many readers, some get a heartbeat each
    /// second.
    private func line(_ reader: StreamReader) throws -> String {
        while true {
            let line = try reader.read(through: "\n")
            if !line.hasPrefix("beat ") { return line }
        }
    }

    private func publish(_ echo: EchoServer, _ version: UInt64, padding: Int = 0) {
        let text = "v\(version)" + String(repeating: ".", count: padding) + "\n"
        echo.streams.publish(topic: .state, version: version, frame: Bytes(utf8: text))
    }

    @Test(arguments: [false, true])
    func `a hundred streams get the same, and a late stream begins with the newest`(
        keepsSuspended: Bool
    ) throws {
        let echo = try EchoServer { $0.keepsStreamConnectionsSuspended = keepsSuspended }
        #expect(echo.server.handsStreamsOver != keepsSuspended)
        publish(echo, 0)
        let readers = try (0..<100).map { _ in try reader(echo) }
        for reader in readers { #expect(try line(reader) == "v0\n") }
        for version in 1...20 as ClosedRange<UInt64> { publish(echo, version) }
        for reader in readers {
            for version in 1...20 { #expect(try line(reader) == "v\(version)\n") }
        }
        let late = try reader(echo)
        #expect(try late.read(through: "\n") == "v20\n")
        #expect(echo.streams.openStreamCount == 101)
    }

    @Test func `a reader that takes nothing holds no other up, skips, and is closed`() throws {
        var limits = StreamLimits()
        limits.stallSeconds = 2
        let echo = try EchoServer(limits: limits)
        publish(echo, 0)
        let stalled = try reader(echo, seconds: 30)
        let lively = try reader(echo)
        #expect(try lively.read(through: "\n") == "v0\n")
        for version in 1...200 as ClosedRange<UInt64> {
            publish(echo, version, padding: 100_000)
            #expect(try lively.read(through: "\n").hasPrefix("v\(version)."))
        }
        #expect(echo.streams.counters.framesConflated.load(ordering: .relaxed) > 0)
        let end = ContinuousClock.now + .seconds(20)
        while echo.streams.counters.count(of: .slow) == 0, .now < end {
            publish(echo, 0)
        }
        #expect(echo.streams.counters.count(of: .slow) == 1)
        _ = stalled
    }

    @Test func `a reader behind a large frame gets the newest of its frames alone`() throws {
        let echo = try EchoServer()
        publish(echo, 0)
        let reader = try reader(echo, seconds: 30)
        #expect(try reader.read(through: "\n") == "v0\n")
        // A reader of another topic gets its frame when the earlier frames are taken.
        let marker = try StreamReader(port: echo.port, "/patches?", seconds: 30)
        func awaitTaken(_ mark: UInt64) throws {
            let topic = TopicID.state.inMode(.patch)
            echo.streams.publish(TopicVersion(mark, state: Numbered(mark, padding: 0)), to: topic)
            _ = try marker.read(through: "\n")
        }
        // A frame of this size does not fit into the sockets' buffers.
        let large = 8 << 20
        for version in 1...3 as ClosedRange<UInt64> {
            publish(echo, version, padding: large)
            try awaitTaken(version)
        }
        #expect(try reader.read(through: "\n").hasPrefix("v1."))
        #expect(try reader.read(through: "\n").hasPrefix("v3."))
        #expect(echo.streams.counters.framesConflated.load(ordering: .relaxed) == 1)

        publish(echo, 4, padding: large)
        echo.streams.publish(topic: .state, version: 5, frame: Bytes(utf8: "v5\n")) { _ in false }
        #expect(try reader.read(through: "\n").hasPrefix("v4."))
        publish(echo, 6)
        #expect(try reader.read(through: "\n") == "v6\n")
    }

    @Test func `readers of large frames and of small ones come and go, and all get the newest`()
        throws
    {
        let echo = try EchoServer()
        publish(echo, 0)
        var readers = try (0..<12).map { _ in try reader(echo, seconds: 30) }
        for reader in readers { #expect(try reader.read(through: "\n") == "v0\n") }
        for version in 1...24 as ClosedRange<UInt64> {
            publish(echo, version, padding: version % 3 == 1 ? 1 << 20 : 0)
            // At each version, one reader ends, perhaps within a frame, one begins, and one reads
            // on.
            readers.remove(at: Int(version) * 7 % readers.count)
            readers.append(try reader(echo, seconds: 30))
            _ = try readers[Int(version) * 5 % readers.count].read(through: "\n")
        }
        publish(echo, 25)
        for reader in readers { #expect(try reader.read(through: "v25\n").hasSuffix("v25\n")) }
    }

    /// Calls the writer with a question, and waits for the answer of the writer's thread.
    private func asked<Answer: Sendable>(
        _ question: (@escaping @Sendable (Answer) -> Void) -> Void
    ) async -> Answer {
        await withCheckedContinuation { continuation in
            question { continuation.resume(returning: $0) }
        }
    }

    @Test func `open streams are listed, and a single stream is ended alone`() async throws {
        let echo = try EchoServer()
        publish(echo, 3)
        let first = try reader(echo)
        #expect(try first.read(through: "\n") == "v3\n")
        let second = try reader(echo)
        #expect(try second.read(through: "\n") == "v3\n")
        let open = await asked(echo.streams.listStreams)
        #expect(open.map(\.id.description) == ["0-1", "1-1"])
        #expect(open.allSatisfy { $0.topic == .state && $0.version == 3 && !$0.isBehind })
        #expect(open.allSatisfy { $0.peer.hasPrefix("127.0.0.1:") && $0.openSeconds < 60 })
        #expect(Set(open.map(\.peer)).count == 2)

        #expect(await asked { echo.streams.endStream(open[0].id, $0) })
        #expect(try first.read(through: "\n") == "bye expired\n")
        #expect(await asked { echo.streams.endStream(open[0].id, $0) } == false)
        publish(echo, 4)
        #expect(try second.read(through: "\n") == "v4\n")
        #expect(await asked(echo.streams.listStreams).map(\.id) == [open[1].id])
    }

    @Test func `a request for the streams after the thread has ended returns none`()
        async throws
    {
        let echo = try EchoServer()
        let reader = try reader(echo)
        let id = try #require(await asked(echo.streams.listStreams).first?.id)
        #expect(echo.streams.stop(reason: .shutdown, seconds: 5))
        #expect(await asked(echo.streams.listStreams).isEmpty)
        #expect(await asked { echo.streams.endStream(id, $0) } == false)
        _ = reader
    }

    @Test(arguments: ["", "1", "1-", "-1", "1-2-3", "01-1", "1--1", "99999999999-1", "1-1 "])
    func `a text that names no stream is none`(text: String) {
        #expect(StreamID(text) == nil)
    }

    @Test func `streams without news get heartbeats with the newest version`() throws {
        var limits = StreamLimits()
        limits.heartbeatSeconds = 1
        let echo = try EchoServer(limits: limits)
        publish(echo, 7)
        let reader = try reader(echo)
        #expect(try reader.read(through: "\n") == "v7\n")
        #expect(try reader.read(through: "\n") == "beat 7\n")
    }

    @Test func `places for streams are bounded, and come back`() throws {
        var limits = StreamLimits()
        limits.streamsMax = 2
        let echo = try EchoServer(limits: limits)
        publish(echo, 0)
        var readers = [try reader(echo), try reader(echo)]
        let third = try RawConnection(port: echo.port)
        try third.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try third.response().status == 503)
        readers.removeLast()
        let end = ContinuousClock.now + .seconds(10)
        while echo.streams.openStreamCount > 1, .now < end { publish(echo, 0) }
        #expect(echo.streams.openStreamCount == 1)
        #expect(try reader(echo).read(through: "\n") == "v0\n")
        _ = readers
    }

    @Test func `a stop sends bye to a thousand streams`() throws {
        let echo = try EchoServer()
        publish(echo, 0)
        let readers = try (0..<1_000).map { _ in try reader(echo) }
        for reader in readers { #expect(try line(reader) == "v0\n") }
        #expect(echo.streams.stop(reason: .shutdown, seconds: 5))
        for reader in readers {
            #expect(try line(reader) == "bye shutdown\n")
            #expect(try reader.isEnded())
        }
    }

    @Test func `two thousand streams of which half are cut off leave the other half whole`() throws
    {
        let echo = try EchoServer()
        publish(echo, 0)
        var readers = try (0..<2_000).map { _ in try reader(echo) }
        for (number, reader) in readers.enumerated() where number % 2 == 0 { reader.reset() }
        readers = readers.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        let end = ContinuousClock.now + .seconds(20)
        while echo.streams.openStreamCount > 1_000, .now < end { publish(echo, 0) }
        #expect(echo.streams.openStreamCount == 1_000)
        publish(echo, 1)
        for reader in readers {
            #expect(try reader.read(through: "v1\n").hasSuffix("v1\n"))
        }
    }
}
