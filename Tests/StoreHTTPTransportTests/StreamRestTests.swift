import CStoreHTTPD
import Glibc
import StoreJSON
import StorePlatform
import StoreTestSupport
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// A loop that shares its thread rests, and a loop with its own thread pauses. A loop without
/// readers costs nothing.
@Suite(.serialized) struct StreamRestTests {
    /// The readers' ends of streams.
    private final class Readers {
        private var clients: [CInt] = []

        /// Lets `count` readers join a writer.
        init(_ count: Int, of writer: StreamWriter) throws {
            for _ in 0..<count {
                let ends = try socketPair()
                var limit = timeval(tv_sec: 20, tv_usec: 0)
                let length = socklen_t(MemoryLayout<timeval>.size)
                setsockopt(ends.client, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
                clients.append(ends.client)
                try #require(writer.reservePlace(.state))
                writer.adopt(descriptor: ends.server, .test(), onEnd: nil)
            }
        }

        deinit {
            for client in clients { close(client) }
        }

        /// True if all readers get a frame with this end. Earlier frames are skipped.
        func get(_ frame: String) -> Bool {
            let end = Array("\(frame)\r\n".utf8)
            return clients.allSatisfy { client in
                var read: [UInt8] = []
                var taken = [UInt8](repeating: 0, count: 64 << 10)
                while read.suffix(end.count) != end[...] {
                    let count = recv(client, &taken, taken.count, 0)
                    guard count > 0 else { return false }
                    read = read.suffix(end.count) + taken.prefix(count)
                }
                return true
            }
        }
    }

    private func writer(_ log: TestLog) throws -> StreamWriter {
        let writer = try StreamWriter(limits: StreamLimits(), frames: .lines)
        log.attach(writer)
        writer.setLogSource(log)
        return writer
    }

    private func publish(_ writer: StreamWriter, _ version: UInt64, _ text: String) {
        writer.publish(topic: .state, version: version, frame: Bytes(utf8: text + "\n"))
    }

    /// Gives a loop turns until no work is left. Returns the longest rest that it asked for.
    private func turns(
        of loop: StreamLoop,
        _ events: UnsafeMutablePointer<epoll_event>
    ) -> Double {
        var rest = 0.0
        wait("the loop has no work left") {
            loop.runTurn(events, waitingFor: 0)
            rest = max(rest, loop.restSeconds)
            return loop.waitSeconds != 0
        }
        return rest
    }

    @Test func `the rest of a turn is refused if the loop ends before the next turn`() throws {
        let writer = try writer(TestLog(version: 0))
        let wake = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        defer { close(wake) }
        let loop = StreamLoop(
            writer: writer,
            epoll: epoll_create1(CInt(EPOLL_CLOEXEC)),
            wakeDescriptor: wake
        )
        loop.sharesThread = true
        loop.begin()
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: StreamLoop.eventsMax)
        defer { events.deallocate() }
        let first = try Readers(1, of: writer)
        _ = turns(of: loop, events)
        writer.publish(topic: .state, version: 1, frame: Bytes(utf8: "v1\n")) { _ in
            useUpTurn()
            return true
        }
        let second = try Readers(1, of: writer)
        let listed = Locked<[[OpenStream]]>([])
        writer.listStreams { list in listed.withLock { $0.append(list) } }
        loop.runTurn(events, waitingFor: 0)
        #expect(loop.waitSeconds == 0)
        #expect(first.get("v1\n"))
        #expect(listed.withLock { $0.isEmpty })
        loop.end()
        #expect(second.get("bye shutdown\n\r\n0\r\n"))
        #expect(listed.withLock { $0.map(\.count) } == [0])
        #expect(writer.openStreamCount == 0)
    }

    @Test func `a loop rests after much work while many versions come, and else does not`() throws {
        let log = TestLog(version: 0)
        let writer = try writer(log)
        let wake = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        defer { close(wake) }
        let loop = StreamLoop(
            writer: writer,
            epoll: epoll_create1(CInt(EPOLL_CLOEXEC)),
            wakeDescriptor: wake
        )
        loop.sharesThread = true
        loop.begin()
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: StreamLoop.eventsMax)
        defer { events.deallocate() }
        #expect(loop.waitSeconds == nil)
        let readers = try Readers(300, of: writer)
        #expect(turns(of: loop, events) == 0)
        #expect(try #require(loop.waitSeconds) <= 1)
        let end = ContinuousClock.now + .seconds(20)
        var version: UInt64 = 0
        var rest = 0.0
        while rest == 0, .now < end {
            for _ in 0..<20 {
                version += 1_000
                publish(writer, version, "v\(version)")
            }
            log.grow(to: version)
            rest = turns(of: loop, events)
            // The sockets then take the next frames.
            #expect(readers.get("v\(version)\n"))
        }
        #expect((0.001...ReaderPace.pauseSecondsMax).contains(rest))
        loop.end()
        #expect(writer.openStreamCount == 0)
        #expect(loop.waitSeconds == nil)
    }

    @Test func `a writer that rests goes on, and another writer has its turns meanwhile`() throws {
        let thread = try StreamThread { SystemThread.start(name: $0, $1) }
        let log = TestLog(version: 0)
        let busy = try writer(log)
        let quiet = try writer(TestLog(version: 0))
        try busy.start(on: thread)
        try quiet.start(on: thread)
        let many = try Readers(300, of: busy)
        let few = try Readers(1, of: quiet)
        var version: UInt64 = 0
        for round in 1...100 as ClosedRange<UInt64> {
            publish(quiet, round, "v\(round)")
            wait("the busy writer keeps up") { busy.keepsUp }
            for _ in 0..<20 {
                version += 1_000
                log.grow(to: version)
                publish(busy, version, "v\(version)")
            }
            #expect(few.get("v\(round)\n"))
        }
        #expect(many.get("v\(version)\n"))
        #expect(busy.stop(reason: .shutdown, seconds: 5))
        #expect(quiet.stop(reason: .shutdown, seconds: 5))
        thread.stop()
    }
}
