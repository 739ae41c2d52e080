import StoreTestSupport
import Synchronization
import Testing

@testable import StorePlatform

/// Each wait of these tests ends with an event. Only with a broken pool, a wait lasts until its
/// bound.
struct ThreadPoolTests {
    private static let secondsMax = 60.0

    @Test func `a single thread runs the tasks in the order in which they were submitted`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let done = Notes()
        for number in 0..<1_000 { pool.submit(Job { done.note(number) }) }
        pool.submit(Job { done.all.open() })
        #expect(done.all.wait(seconds: Self.secondsMax))
        #expect(done.values == Array(0..<1_000))
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `threads begin with the tasks, as many as allowed and no more`() {
        let pool = ThreadPool(name: "test", threadsMax: 3)
        #expect(pool.counts == ThreadPool.Counts())
        let gate = Gate()
        for _ in 0..<10 { pool.submit(gate.job()) }
        #expect(gate.waitForTasks(3, seconds: Self.secondsMax))
        #expect(pool.counts == ThreadPool.Counts(threads: 3, waitingTasks: 7))
        gate.opened.open()
        #expect(gate.waitForTasks(7, seconds: Self.secondsMax))
        #expect(pool.close(seconds: Self.secondsMax))
        #expect(gate.most.load(ordering: .relaxed) == 3)
        #expect(pool.counts.threads == 0)
    }

    @Test func `a task that comes while a thread sleeps begins none`() {
        let pool = ThreadPool(name: "test", threadsMax: 3)
        for _ in 0..<1_000 {
            let done = Latch()
            pool.submit(Job { done.open() })
            #expect(done.wait(seconds: Self.secondsMax))
            wait("the pool has an idle thread") { pool.counts.idleThreads > 0 }
        }
        #expect(pool.counts == ThreadPool.Counts(threads: 1, idleThreads: 1))
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `no thread begins for a task while another is on its way`() {
        let bodies = Locked<[@Sendable () -> Void]>([])
        let pool = ThreadPool(name: "test", threadsMax: 4) { _, _, body in
            bodies.withLock { $0.append(body) }
            return true
        }
        let gate = Gate()
        for _ in 0..<2 { pool.submit(gate.job()) }
        for body in bodies.withLock({ $0 }) {
            #expect(pool.counts.threads == 2)
            SystemThread.start(name: "test", body)
            #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        }
        #expect(pool.counts == ThreadPool.Counts(threads: 2))
        gate.opened.open()
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `no task is lost under many producers, while threads end for idleness`() async {
        let (producers, count) = (8, 2_000)
        let pool = ThreadPool(name: "test", threadsMax: 2, idleSecondsMax: 0)
        let sum = Atomic(0)
        let all = Latch()
        let job = Job {
            if sum.add(1, ordering: .relaxed).newValue == producers * count { all.open() }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<producers {
                group.addTask {
                    for number in 0..<count {
                        pool.submit(job)
                        if number % 16 == 0 { await Task.yield() }
                    }
                }
            }
        }
        #expect(all.wait(seconds: Self.secondsMax))
        wait("the pool has no thread") { pool.counts.threads == 0 }
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `held turns leave others a thread, and the surplus ends with them`() {
        let pool = ThreadPool(name: "test", threadsMax: 2)
        let gate = Gate()
        for _ in 0..<2 { pool.submit(gate.job()) }
        #expect(gate.waitForTasks(2, seconds: Self.secondsMax))
        let relieved = Latch()
        pool.submit(Job { relieved.open() })
        pool.beginMissingThread()
        #expect(pool.counts == ThreadPool.Counts(threads: 2, waitingTasks: 1), "they may end yet")
        pool.beginMissingThread()
        #expect(relieved.wait(seconds: Self.secondsMax))
        #expect(pool.counts.heldThreads == 2)
        gate.opened.open()
        wait("the surplus of threads ends") { pool.counts.threads <= 2 }
        #expect(pool.counts.heldThreads == 0)
        let again = Gate()
        for _ in 0..<3 { pool.submit(again.job()) }
        #expect(again.waitForTasks(2, seconds: Self.secondsMax))
        #expect(pool.counts == ThreadPool.Counts(threads: 2, waitingTasks: 1))
        again.opened.open()
        #expect(again.waitForTasks(1, seconds: Self.secondsMax))
        #expect(pool.close(seconds: Self.secondsMax))
        #expect(again.most.load(ordering: .relaxed) == 2)
    }

    @Test func `relief without waiting tasks begins no thread, and has a bound`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let gate = Gate()
        pool.submit(gate.job())
        #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        for _ in 0..<10 { pool.beginMissingThread() }
        #expect(pool.counts.threads == 1)
        let threadsMax = 1 + ThreadPool.surplusThreadsMax
        for _ in 0..<threadsMax + 5 { pool.submit(gate.job()) }
        for count in 2...threadsMax {
            while pool.counts.threads < count { pool.beginMissingThread() }
            #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        }
        for _ in 0..<5 { pool.beginMissingThread() }
        #expect(pool.counts == ThreadPool.Counts(threads: 65, heldThreads: 65, waitingTasks: 6))
        gate.opened.open()
        #expect(gate.waitForTasks(6, seconds: Self.secondsMax))
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `closing finishes running tasks, drops waiting tasks and takes no more`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let gate = Gate()
        let done = Notes()
        pool.submit(gate.job())
        #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        weak var weakly: Job?
        do {
            let waiting = Job { done.note(1) }
            weakly = waiting
            pool.submit(waiting)
        }
        #expect(weakly != nil)
        #expect(!pool.close(seconds: 0))
        #expect(weakly == nil)
        #expect(!pool.submit(Job { done.note(2) }))
        pool.beginMissingThread()
        gate.opened.open()
        #expect(pool.close(seconds: Self.secondsMax))
        #expect(gate.ended.load(ordering: .relaxed) == 1)
        #expect(done.values.isEmpty)
        #expect(pool.counts == ThreadPool.Counts())
    }

    @Test func `a pool that never ran and a pool whose threads sleep can be closed`() {
        #expect(ThreadPool(name: "test", threadsMax: 1).close(seconds: 0))
        let pool = ThreadPool(name: "test", threadsMax: 2)
        let gate = Gate()
        for _ in 0..<2 { pool.submit(gate.job()) }
        gate.opened.open()
        #expect(gate.waitForTasks(2, seconds: Self.secondsMax))
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `tasks wait for a thread or for relief if the system refuses threads`() {
        let isRefusing = Atomic(true)
        let pool = ThreadPool(name: "test", threadsMax: 2) { name, niceness, body in
            guard !isRefusing.load(ordering: .relaxed) else { return false }
            return SystemThread.startUnlessRefused(name: name, niceness: niceness, body)
        }
        let gate = Gate()
        #expect(pool.submit(gate.job()))
        pool.submit(gate.job())
        #expect(pool.counts == ThreadPool.Counts(waitingTasks: 2, refusedThreadsTotal: 1))
        isRefusing.store(false, ordering: .relaxed)
        pool.beginMissingThread()
        #expect(gate.waitForTasks(2, seconds: Self.secondsMax), "the first thread begins another")
        gate.opened.open()
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a nicer thread that submits does not make the pool's threads nicer`() {
        let before = SystemThread.niceness
        let pool = ThreadPool(name: "test", threadsMax: 2)
        let gate = Gate()
        pool.submit(gate.job())
        #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        let niceness = Atomic(CInt(-100))
        let (submitted, done) = (Latch(), Latch())
        SystemThread.start(name: "nice", niceness: before + 3) {
            pool.submit(
                Job {
                    niceness.store(SystemThread.niceness, ordering: .relaxed)
                    done.open()
                }
            )
            submitted.open()
        }
        #expect(submitted.wait(seconds: Self.secondsMax))
        #expect(pool.counts == ThreadPool.Counts(threads: 1, waitingTasks: 1))
        pool.beginMissingThread()
        #expect(done.wait(seconds: Self.secondsMax))
        #expect(niceness.load(ordering: .relaxed) == before)
        gate.opened.open()
        #expect(pool.close(seconds: Self.secondsMax))
    }
}
