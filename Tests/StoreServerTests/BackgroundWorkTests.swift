import Dispatch
import Glibc
import StorePlatform
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StorePublishing
@testable import StoreServer

/// Work beside the event loop and the Core.
@Suite struct BackgroundWorkTests {
    /// Threads of its own, or the threads of a pool.
    private static let threads: [ThreadPool?] = [
        nil, ThreadPool(name: "test", threadsMax: 2, idleSecondsMax: 1),
    ]

    @Test(arguments: threads)
    func `jobs are taken up to the bounds of running and waiting, and each is done`(
        _ pool: ThreadPool?
    ) {
        let work = BackgroundQueue("test", on: pool, runningMax: 2, waitingMax: 3)
        let (begin, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = Locked<[Int]>([])
        let taken = (0..<7).filter { number in
            work.submit {
                begin.wait()
                done.withLock { $0.append(number) }
                ended.signal()
            }
        }
        #expect(taken == [0, 1, 2, 3, 4])
        for _ in taken { begin.signal() }
        for _ in taken { #expect(ended.wait(timeout: .now() + 60) == .success) }
        #expect(done.withLock { $0.sorted() } == taken)
    }

    @Test(arguments: threads)
    func `jobs run one after the other if one may run at a time`(_ pool: ThreadPool?) {
        let work = BackgroundQueue("test", on: pool, runningMax: 1, waitingMax: 1_000) { 0 }
        let done = Locked<[Int]>([])
        let ended = DispatchSemaphore(value: 0)
        for number in 0..<1_000 {
            #expect(
                work.submit {
                    done.withLock { $0.append(number) }
                    if number == 999 { ended.signal() }
                }
            )
        }
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(done.withLock { $0 } == Array(0..<1_000))
    }

    @Test func `background threads are nice, and submitting threads stay as they are`() {
        let work = BackgroundQueue("test")
        let niceness = Locked<CInt?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let process = CInt(PRIO_PROCESS.rawValue)
        let before = getpriority(process, 0)
        #expect(
            work.submit {
                niceness.withLock { $0 = getpriority(CInt(PRIO_PROCESS.rawValue), 0) }
                ended.signal()
            }
        )
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(niceness.withLock { $0 } == max(before, ReaderThread.niceness))
        #expect(getpriority(process, 0) == before)
    }
}
