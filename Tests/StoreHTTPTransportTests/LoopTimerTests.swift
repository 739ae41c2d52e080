import Dispatch
import StorePlatform
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreHTTPTransport

@Suite struct LoopTimerTests {
    private final class Held: Sendable {}

    /// Waits until the loop has had a turn after all earlier calls.
    private func turn(of echo: EchoServer) throws {
        let connection = try RawConnection(port: echo.port)
        try connection.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try connection.response()
    }

    @Test func `a timer from another thread runs on the loop's, also if the loop sleeps`() throws {
        let echo = try EchoServer()
        let ran = DispatchSemaphore(value: 0)
        echo.server.schedule(after: 0.01) { ran.signal() }
        #expect(ran.wait(timeout: .now() + 10) == .success)
    }

    @Test func `timers run in the order in which they are due`() throws {
        let echo = try EchoServer()
        let seen = Locked<[Int]>([])
        let ran = DispatchSemaphore(value: 0)
        // All timers of one turn count from the same moment, even in a long turn.
        echo.server.schedule(after: 0) { [server = echo.server] in
            for number in [3, 1, 2] {
                server.schedule(after: Double(number) * 0.002) {
                    seen.withLock { $0.append(number) }
                    ran.signal()
                }
            }
        }
        for _ in 0..<3 { #expect(ran.wait(timeout: .now() + 10) == .success) }
        #expect(seen.withLock { $0 } == [1, 2, 3])
    }

    @Test
    func `a cancelled timer releases its closure at once, its entry at the next turn`()
        throws
    {
        let echo = try EchoServer()
        weak var held: Held?
        let timer: LoopTimer
        do {
            let value = Held()
            held = value
            timer = echo.server.schedule(after: 60) { _ = value }
        }
        #expect(held != nil)
        timer.cancel()
        #expect(held == nil)
        timer.cancel()
        try turn(of: echo)
        let counted = DispatchSemaphore(value: 0)
        let count = Locked(-1)
        echo.server.schedule(after: 0) { [loop = echo.server.loop] in
            count.withLock { $0 = loop.timers.count }
            counted.signal()
        }
        #expect(counted.wait(timeout: .now() + 10) == .success)
        #expect(count.withLock { $0 } == 0)
    }

    @Test func `timers that are set and cancelled on the loop's own thread leave nothing`() throws {
        let echo = try EchoServer()
        let counted = DispatchSemaphore(value: 0)
        let counts = Locked<[Int]>([])
        echo.server.schedule(after: 0) { [server = echo.server] in
            let timers = (0..<1_000).map { _ in server.schedule(after: 60) {} }
            counts.withLock { $0.append(server.loop.timers.count) }
            for timer in timers { timer.cancel() }
            counts.withLock { $0.append(server.loop.timers.count) }
            counted.signal()
        }
        #expect(counted.wait(timeout: .now() + 10) == .success)
        #expect(counts.withLock { $0 } == [1_000, 0])
    }
}
