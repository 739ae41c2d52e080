import StoreTestSupport
import Synchronization
import Testing

@testable import StorePlatform

/// Workers on a pool. Each wait of these tests ends with an event. Only with a broken worker, a
/// wait lasts until its bound.
struct PooledWorkerTests {
    private static let secondsMax = 60.0

    private let pool = ThreadPool(name: "test", threadsMax: 1)

    private struct Numbers: WorkQueue {
        var numbers: [Int] = []

        var isEmpty: Bool { numbers.isEmpty }

        mutating func take() -> Int { numbers.removeFirst() }
    }

    private func worker(threadsMax: Int = 1, on pool: ThreadPool? = nil) -> Worker<Numbers> {
        Worker("test", on: .pool(pool ?? self.pool), threadsMax: threadsMax, queue: Numbers())
    }

    @Test func `work is done in its order by one thread at a time, though the pool has several`()
        async
    {
        let pool = ThreadPool(name: "test", threadsMax: 4)
        let worker = worker(on: pool)
        let running = Atomic(0)
        let most = Atomic(0)
        let done = Notes()
        let last = Locked([Int](repeating: -1, count: 4))
        worker.start(.withFirstWork) { worker in
            while let number = worker.next() {
                most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                done.note(number)
                running.subtract(1, ordering: .relaxed)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 {
                        worker.post { $0.numbers.append(4 * number + producer) }
                        if number % 8 == 0 { await Task.yield() }
                    }
                }
            }
        }
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(most.load(ordering: .relaxed) == 1)
        #expect(done.values.count == 8_000)
        for number in done.values {
            last.withLock { last in
                #expect(last[number % 4] < number)
                last[number % 4] = number
            }
        }
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `two busy workers share one thread by turns`() {
        let gate = Gate()
        pool.submit(gate.job())
        #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        let done = Notes()
        let workers = (0..<2).map { _ in worker() }
        for (number, worker) in workers.enumerated() {
            worker.post { $0.numbers = Array(repeating: number, count: 10) }
            worker.start { worker in
                while let number = worker.next() {
                    done.note(number)
                    useUpTurn()
                }
            }
        }
        gate.opened.open()
        for worker in workers { #expect(worker.close(seconds: Self.secondsMax)) }
        #expect(done.values == (0..<20).map { $0 % 2 })
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a worker that is alone goes on in its turn`() {
        let turns = Atomic(0)
        let worker = worker()
        worker.post { $0.numbers = Array(0..<5) }
        worker.start { worker in
            turns.add(1, ordering: .relaxed)
            while worker.next() != nil { useUpTurn() }
        }
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(turns.load(ordering: .relaxed) == 1)
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `as many works as the bound run at the same time, and each is done`() {
        let pool = ThreadPool(name: "test", threadsMax: 4)
        let worker = worker(threadsMax: 3, on: pool)
        let gate = Gate()
        worker.start(.withFirstWork) { worker in
            while worker.next() != nil { gate.job().takeTurn() }
        }
        for number in 0..<10 { worker.post { $0.numbers.append(number) } }
        #expect(gate.waitForTasks(3, seconds: Self.secondsMax))
        gate.opened.open()
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(gate.ended.load(ordering: .relaxed) == 10)
        #expect(gate.most.load(ordering: .relaxed) == 3)
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test
    func `closing gives up at the deadline while work is stuck, and a second call waits again`() {
        let worker = worker()
        let gate = Gate()
        worker.start { worker in
            while worker.next() != nil { gate.job().takeTurn() }
        }
        worker.post { $0.numbers = [1, 2, 3] }
        #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        #expect(!worker.close(seconds: 0))
        #expect(worker.post { $0.numbers.append(4) } == nil)
        gate.opened.open()
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(gate.ended.load(ordering: .relaxed) == 3, "the waiting work is done")
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `closing gives up at the deadline if the pool has no thread for it`() {
        let gate = Gate()
        pool.submit(gate.job())
        #expect(gate.waitForTasks(1, seconds: Self.secondsMax))
        let worker = worker()
        let done = Notes()
        weak var weakly: Notes?
        do {
            let kept = Notes()
            weakly = kept
            worker.start(.withFirstWork) { [kept] worker in
                while let number = worker.next() {
                    kept.note(number)
                    done.note(number)
                }
            }
        }
        worker.post { $0.numbers.append(1) }
        #expect(!worker.close(seconds: 0))
        #expect(weakly != nil)
        #expect(done.values.isEmpty)
        gate.opened.open()
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(done.values == [1])
        wait("the worker is released") { weakly == nil }
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `closing may drop waiting work, and ends at once without a turn`() {
        let worker = worker()
        worker.post { $0.numbers.append(1) }
        let done = Notes()
        #expect(worker.close(seconds: 0) { $0.numbers = [] })
        worker.start { worker in
            while let number = worker.next() { done.note(number) }
        }
        #expect(pool.counts == ThreadPool.Counts(), "no turn begins")
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a worker on a pool that is closed can be closed`() {
        #expect(pool.close(seconds: Self.secondsMax))
        let worker = worker()
        worker.start { worker in
            while worker.next() != nil {}
        }
        worker.post { $0.numbers.append(1) }
        #expect(worker.close(seconds: 0))
        #expect(worker.withQueue { $0.numbers } == [1])
    }
}
