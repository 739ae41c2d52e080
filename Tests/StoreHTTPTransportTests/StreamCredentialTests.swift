import StoreJSON
import StorePlatform
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// Streams end with the credentials of their owners.
@Suite(.serialized) struct StreamCredentialTests {
    private static let paths = ["/events", "/actions", "/patches"]

    private func now() -> Int64 { Int64(SystemTime.wallNanoseconds() / 1_000_000_000) }

    private func echo() throws -> EchoServer {
        let echo = try EchoServer(log: TestLog(version: 0))
        publish(echo, 0)
        return echo
    }

    private func publish(_ echo: EchoServer, _ version: UInt64, _ text: String = "") {
        for mode in [StreamMode.snapshot, .patch] {
            let frame = Bytes(utf8: "v\(version)\(text)\n")
            echo.streams.publish(topic: .state.inMode(mode), version: version, frame: frame)
        }
    }

    private func give(
        _ echo: EchoServer,
        seconds: Int64?,
        isAllowed: @escaping @Sendable () -> Bool = { true }
    ) {
        let expiresAt = seconds.map { now() + $0 }
        echo.handler.credential.withLock {
            $0 = StreamCredential(expiresAt: expiresAt, isAllowed: isAllowed)
        }
    }

    private func reader(_ echo: EchoServer, _ path: String) throws -> StreamReader {
        try StreamReader(port: echo.port, path, seconds: 20)
    }

    /// Returns the lines without heartbeats, until the stream ends.
    private func rest(of reader: StreamReader) -> [String] {
        var lines: [String] = []
        while let line = try? reader.read(through: "\n") {
            if !line.hasPrefix("beat ") { lines.append(line) }
        }
        return lines
    }

    @Test(arguments: paths) func `a near end is announced at once, and comes`(
        path: String
    ) throws {
        let echo = try echo()
        give(echo, seconds: 3)
        let clock = ContinuousClock()
        let began = clock.now
        let reader = try reader(echo, path)
        let lines = rest(of: reader)
        let announced = lines.filter { $0.hasPrefix("expiring ") }
        #expect(announced.count == 1, "\(lines)")
        #expect(["expiring 1\n", "expiring 2\n", "expiring 3\n"].contains(announced.first))
        #expect(lines.last == "bye expired\n")
        #expect(try reader.isEnded())
        #expect(began.duration(to: clock.now) > .milliseconds(1_500))
    }

    @Test func `a late end is not announced, and a stream without an end goes on`() throws {
        let echo = try echo()
        for (number, seconds) in ([3_600, nil] as [Int64?]).enumerated() {
            let version = UInt64(2 * number)
            publish(echo, version)
            give(echo, seconds: seconds)
            let reader = try reader(echo, "/events")
            #expect(try reader.read(through: "\n") == "v\(version)\n")
            give(echo, seconds: 2)
            // Another stream ends meanwhile.
            #expect(rest(of: try self.reader(echo, "/events")).last == "bye expired\n")
            publish(echo, version + 1)
            #expect(try reader.read(through: "\n") == "v\(version + 1)\n")
        }
    }

    @Test(arguments: paths) func `a stream that is no longer allowed ends at the next check`(
        path: String
    ) throws {
        let echo = try echo()
        let allowed = Locked(true)
        give(echo, seconds: nil) { allowed.withLock { $0 } }
        let ending = try reader(echo, path)
        give(echo, seconds: nil)
        let staying = try reader(echo, "/events")
        #expect(try staying.read(through: "\n") == "v0\n")
        echo.streams.endForbiddenStreams()
        publish(echo, 1)
        #expect(try staying.read(through: "\n") == "v1\n")
        allowed.withLock { $0 = false }
        echo.streams.endForbiddenStreams()
        #expect(rest(of: ending).last == "bye expired\n")
        publish(echo, 2)
        #expect(try staying.read(through: "\n") == "v2\n")
    }

    @Test(arguments: paths) func `a stream that was forbidden before it began ends at once`(
        path: String
    ) throws {
        let echo = try echo()
        give(echo, seconds: nil) { false }
        #expect(rest(of: try reader(echo, path)).last == "bye expired\n")
    }

    @Test func `a reader that is behind gets whole frames, and then the end`() throws {
        let echo = try echo()
        give(echo, seconds: 2)
        let reader = try reader(echo, "/events")
        for version in 1...100 as ClosedRange<UInt64> {
            publish(echo, version, String(repeating: ".", count: 400_000))
        }
        let end = ContinuousClock.now + .seconds(15)
        while echo.streams.counters.count(of: .expired) == 0, .now < end {
            _ = now()
        }
        let lines = rest(of: reader)
        #expect(lines.last == "bye expired\n")
        #expect(!lines.contains { $0.hasPrefix("expiring") })
        for line in lines.dropFirst().dropLast() { #expect(line.utf8.count > 400_000) }
    }
}
