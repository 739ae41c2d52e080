import StoreJSON
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// A version of a state. Its frames name the versions from which and to which they lead.
final class Numbered: TopicState {
    let version: UInt64
    let padding: String

    init(_ version: UInt64, padding: Int) {
        self.version = version
        self.padding = String(repeating: ".", count: padding)
    }

    var unsharedByteCount: Int { padding.utf8.count }

    func snapshotFrame() -> Bytes { Bytes(utf8: "=\(version)\(padding)\n") }

    func patchFrame(from old: any TopicState, skipsVersions: Bool) -> Bytes? {
        (old as? Numbered).map { Bytes(utf8: "\($0.version)>\(version)\(padding)\n") }
    }

    func unsharedByteCount(beside newer: any TopicState) -> Int { unsharedByteCount }
}

@Suite(.serialized) struct PatchReaderTests {
    private func reader(
        _ echo: EchoServer,
        after version: String = "",
        name: String? = nil
    ) throws -> StreamReader {
        let fields = name.map { "X-Test: \($0)\r\n" } ?? ""
        return try StreamReader(
            port: echo.port,
            "/patches?\(version)",
            fields: fields,
            seconds: 30
        )
    }

    private func publish(
        _ echo: EchoServer,
        _ version: UInt64,
        padding: Int = 0,
        for filter: ReaderFilter? = nil
    ) {
        let state = Numbered(version, padding: padding)
        let topic = TopicID.state.inMode(.patch)
        echo.streams.publish(TopicVersion(version, state: state), to: topic, for: filter)
    }

    /// Returns a reader that makes the topic keep its versions.
    private func keeper(_ echo: EchoServer) throws -> StreamReader {
        let keeper = try reader(echo)
        publish(echo, 1)
        #expect(try keeper.read(through: "\n") == "=1\n")
        return keeper
    }

    @Test func `readers get patches from version to version, and a late reader gets all`() throws {
        let echo = try EchoServer()
        let keeper = try keeper(echo)
        publish(echo, 2)
        #expect(try keeper.read(through: "\n") == "1>2\n")
        publish(echo, 5)
        #expect(try keeper.read(through: "\n") == "2>5\n")
        #expect(try reader(echo).read(through: "\n") == "=5\n")
    }

    @Test func `a reader goes on from a version that is kept`() throws {
        let echo = try EchoServer()
        let keeper = try keeper(echo)
        for version in [2, 4, 6] as [UInt64] { publish(echo, version) }
        #expect(try keeper.read(through: "4>6\n").hasSuffix("4>6\n"))
        #expect(try reader(echo, after: "2").read(through: "\n") == "2>6\n")
        #expect(try reader(echo, after: "3").read(through: "\n") == "=6\n")
        // The reader has its version from an earlier stream. The subject has not changed since the
        // newest version.
        let current = try reader(echo, after: "7")
        let same = try reader(echo, after: "6")
        publish(echo, 9)
        #expect(try current.read(through: "\n") == "6>9\n")
        #expect(try same.read(through: "\n") == "6>9\n")
    }

    @Test func `a reader outside the recipients gets one patch over all skipped versions`() throws {
        let echo = try EchoServer()
        let keeper = try keeper(echo)
        let named = try reader(echo, name: "b")
        #expect(try named.read(through: "\n") == "=1\n")
        publish(echo, 2) { $0 != "b" }
        publish(echo, 3) { $0 != "b" }
        publish(echo, 4)
        #expect(try named.read(through: "\n") == "1>4\n")
        #expect(try keeper.read(through: "3>4\n") == "1>2\n2>3\n3>4\n")
    }

    @Test func `a reader that takes nothing has an empty queue, and gets one patch at last`() throws
    {
        let echo = try EchoServer()
        let slow = try keeper(echo)
        let lively = try reader(echo)
        #expect(try lively.read(through: "\n") == "=1\n")
        let last = 150 as UInt64
        for version in 2...last {
            publish(echo, version, padding: 100_000)
            #expect(try lively.read(through: "\n").hasPrefix("\(version - 1)>\(version)."))
        }
        #expect(echo.streams.counters.framesConflated.load(ordering: .relaxed) > 0)
        var known: UInt64 = 1
        var count = 0
        while known < last {
            let line = try slow.read(through: "\n")
            let ends = line.prefix { $0 != "." }.split(separator: ">").compactMap { UInt64($0) }
            try #require(ends.count == 2 && ends[0] == known, "\(line.prefix(20))")
            (known, count) = (ends[1], count + 1)
        }
        #expect(count < 149)
    }

    @Test func `versions of a topic without readers are not kept`() throws {
        let echo = try EchoServer()
        echo.streams.publish(topic: .state, version: 0, frame: Bytes(utf8: "x"))
        var first: StreamReader? = try keeper(echo)
        publish(echo, 2)
        #expect(try first?.read(through: "\n") == "1>2\n")
        first = nil
        let end = ContinuousClock.now + .seconds(10)
        while echo.streams.openStreamCount > 0, .now < end {
            echo.streams.publish(topic: .state, version: 0, frame: Bytes(utf8: "x"))
        }
        #expect(echo.streams.openStreamCount == 0)
        let second = try reader(echo, after: "1")
        publish(echo, 3)
        #expect(try second.read(through: "\n") == "=3\n")
    }
}
