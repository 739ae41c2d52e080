import Glibc
import StorePlatform
import StoreTestSupport
import Synchronization
import Testing

/// A queue of numbers, which a worker takes one by one.
private struct Numbers: WorkQueue {
    let countMax: Int
    private var numbers: [Int] = []

    init(countMax: Int = .max) {
        self.countMax = countMax
    }

    var isEmpty: Bool { numbers.isEmpty }

    mutating func offer(_ number: Int) -> Bool {
        guard numbers.count < countMax else { return false }
        numbers.append(number)
        return true
    }

    mutating func take() -> Int { numbers.removeFirst() }
}

/// The same queue; a worker takes all numbers at once.
private struct Batches: WorkQueue {
    var numbers: [Int] = []

    var isEmpty: Bool { numbers.isEmpty }

    mutating func take() -> [Int] {
        defer { numbers = [] }
        return numbers
    }
}

/// Each wait of these tests ends with an event. Only with a broken worker, a wait lasts until its
/// bound.
struct WorkerTests {
    private static let secondsMax = 60.0

    @Test func `work is done in the order in which it was posted, also from before the start`() {
        let worker = Worker("test", queue: Numbers())
        let done = Locked<[Int]>([])
        for number in 0..<10 { worker.post { _ = $0.offer(number) } }
        worker.start { worker in
            while let number = worker.next() { done.withLock { $0.append(number) } }
        }
        for number in 10..<1_000 { worker.post { _ = $0.offer(number) } }
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(done.withLock { $0 } == Array(0..<1_000))
    }

    @Test func `the queue's bound refuses while work is stuck`() {
        let worker = Worker("test", queue: Numbers(countMax: 3))
        let (begun, go) = (Latch(), Latch())
        worker.start { worker in
            while worker.next() != nil {
                begun.open()
                _ = go.wait()
            }
        }
        worker.post { _ = $0.offer(0) }
        #expect(begun.wait(seconds: Self.secondsMax))
        let taken = (1...5).map { number in worker.post { $0.offer(number) } }
        #expect(taken == [true, true, true, false, false])
        go.open()
        #expect(worker.close(seconds: Self.secondsMax))
    }

    @Test
    func `closing gives up at the deadline while work is stuck, and a second call waits again`() {
        let worker = Worker("test", queue: Numbers())
        let (begun, go) = (Latch(), Latch())
        let done = Atomic(0)
        worker.start { worker in
            while worker.next() != nil {
                begun.open()
                _ = go.wait()
                done.add(1, ordering: .relaxed)
            }
        }
        for number in 0..<3 { worker.post { _ = $0.offer(number) } }
        #expect(begun.wait(seconds: Self.secondsMax))
        #expect(!worker.close(seconds: 0))
        go.open()
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(done.load(ordering: .relaxed) == 3, "the waiting work is done")
    }

    @Test func `closing may drop waiting work`() {
        let worker = Worker("test", queue: Batches())
        let (begun, go) = (Latch(), Latch())
        let done = Locked<[[Int]]>([])
        worker.start { worker in
            while let batch = worker.next() {
                done.withLock { $0.append(batch) }
                begun.open()
                _ = go.wait()
            }
        }
        worker.post { $0.numbers.append(1) }
        #expect(begun.wait(seconds: Self.secondsMax))
        worker.post { $0.numbers.append(2) }
        #expect(!worker.close(seconds: 0) { $0.numbers = [] })
        go.open()
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(done.withLock { $0 } == [[1]])
    }

    @Test func `a closed worker takes nothing, and may still be read`() {
        let worker = Worker("test", queue: Batches())
        worker.post { $0.numbers.append(1) }
        #expect(worker.close(seconds: 0), "a worker without a thread has ended")
        #expect(worker.post({ $0.numbers.append(2) }) == nil)
        #expect(worker.withQueue({ $0.numbers }) == [1])
        weak var weakly: Kept?
        do {
            let kept = Kept()
            weakly = kept
            worker.start { [kept] _ in kept.isRun.store(true, ordering: .relaxed) }
        }
        #expect(weakly == nil, "no thread begins")
    }

    @Test func `no wake-up is lost under many producers`() async {
        // Each producer has few items, so that the thread often falls asleep just then.
        let (producers, count) = (8, 2_000)
        let worker = Worker("test", queue: Batches())
        let sum = Atomic(0)
        let all = Latch()
        worker.start { worker in
            while let batch = worker.next() {
                let done = sum.add(batch.count, ordering: .relaxed).newValue
                if done == producers * count { all.open() }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<producers {
                group.addTask {
                    for number in 0..<count {
                        worker.post { $0.numbers.append(number) }
                        if number % 16 == 0 { await Task.yield() }
                    }
                }
            }
        }
        // No further post comes, so a lost wake-up would hang the test.
        #expect(all.wait(seconds: Self.secondsMax))
        #expect(worker.close(seconds: Self.secondsMax))
    }

    @Test func `a post wakes a thread that has fallen asleep, each time`() {
        let worker = Worker("test", queue: Batches())
        let asleep = TimedSemaphore()
        let done = Atomic(0)
        worker.start { worker in
            while worker.next(beforeSleep: { asleep.signal() }) != nil {
                done.add(1, ordering: .relaxed)
            }
        }
        for count in 0..<1_000 {
            #expect(asleep.wait(seconds: Self.secondsMax))
            #expect(done.load(ordering: .relaxed) == count)
            worker.post { $0.numbers.append(count) }
        }
        #expect(worker.close(seconds: Self.secondsMax))
    }

    @Test func `a post that makes no work begins no thread and wakes none`() {
        let worker = Worker("test", queue: Batches())
        let threads = Atomic(0)
        let sleeps = Atomic(0)
        let asleep = Latch()
        worker.start(.withFirstWork) { worker in
            threads.add(1, ordering: .relaxed)
            func sleeping() {
                sleeps.add(1, ordering: .relaxed)
                asleep.open()
            }
            while worker.next(beforeSleep: sleeping) != nil {}
        }
        worker.post { _ in }
        #expect(!asleep.wait(seconds: 0))
        worker.post { $0.numbers.append(1) }
        #expect(asleep.wait(seconds: Self.secondsMax))
        for _ in 0..<100 { worker.post { _ in } }
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(threads.load(ordering: .relaxed) == 1)
        #expect(sleeps.load(ordering: .relaxed) == 1)
    }

    @Test func `a thread that sleeps for too long ends, and the next work begins another`() {
        let worker = Worker("test", on: .own(idleSecondsMax: 0), queue: Numbers())
        let ended = TimedSemaphore()
        let done = Atomic(0)
        worker.start(.withFirstWork) { worker in
            while worker.next() != nil { done.add(1, ordering: .relaxed) }
            ended.signal()
        }
        for count in 1...200 {
            worker.post { _ = $0.offer(count) }
            #expect(ended.wait(seconds: Self.secondsMax))
            #expect(done.load(ordering: .relaxed) == count)
        }
        #expect(worker.close(seconds: Self.secondsMax))
    }

    @Test func `threads that end for idleness lose no work that comes just then`() async {
        let (producers, count) = (4, 2_000)
        let worker = Worker(
            "test",
            on: .own(idleSecondsMax: 0),
            threadsMax: 2,
            queue: Numbers()
        )
        let sum = Atomic(0)
        let all = Latch()
        worker.start(.withFirstWork) { worker in
            while worker.next() != nil {
                if sum.add(1, ordering: .relaxed).newValue == producers * count { all.open() }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<producers {
                group.addTask {
                    for number in 0..<count {
                        worker.post { _ = $0.offer(number) }
                        if number % 8 == 0 { await Task.yield() }
                    }
                }
            }
        }
        #expect(all.wait(seconds: Self.secondsMax))
        #expect(worker.close(seconds: Self.secondsMax))
    }

    @Test func `as many threads as allowed work at the same time, and no more`() {
        let worker = Worker("test", threadsMax: 3, queue: Numbers())
        let (begun, go) = (TimedSemaphore(), Latch())
        let running = Atomic(0)
        let most = Atomic(0)
        worker.start(.withFirstWork) { worker in
            while worker.next() != nil {
                most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                begun.signal()
                _ = go.wait()
                running.subtract(1, ordering: .relaxed)
            }
        }
        for number in 0..<10 { worker.post { _ = $0.offer(number) } }
        for _ in 0..<3 { #expect(begun.wait(seconds: Self.secondsMax)) }
        go.open()
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(most.load(ordering: .relaxed) == 3)
    }

    @Test func `a worker lends its queue only while it rests`() {
        let worker = Worker("test", queue: Batches())
        func isResting() -> Bool { worker.withRestingQueue { _ in true } == true }
        let (begun, go) = (Latch(), Latch())
        #expect(isResting(), "no thread has begun")
        worker.start(.withFirstWork) { worker in
            while worker.next() != nil {
                begun.open()
                _ = go.wait()
            }
        }
        worker.post { $0.numbers.append(1) }
        #expect(!isResting(), "work waits, or is done")
        #expect(begun.wait(seconds: Self.secondsMax))
        #expect(!isResting(), "work is done")
        go.open()
        wait("the thread rests") { isResting() }
        #expect(worker.withRestingQueue { _ in Int?.none } == nil)
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(!isResting(), "it is closed")
    }

    @Test func `closing ends a pause`() {
        let worker = Worker("test", queue: Numbers())
        let pausing = Latch()
        worker.start { worker in
            while worker.next() != nil {
                pausing.open()
                worker.pause(seconds: 3_600)
            }
        }
        worker.post { _ = $0.offer(1) }
        #expect(pausing.wait(seconds: Self.secondsMax))
        #expect(worker.close(seconds: Self.secondsMax))
    }

    @Test func `the values of the body are released at the end`() {
        let worker = Worker("test", queue: Numbers())
        weak var weakly: Kept?
        do {
            let kept = Kept()
            weakly = kept
            worker.start { [kept] worker in
                while worker.next() != nil { kept.isRun.store(true, ordering: .relaxed) }
            }
        }
        #expect(weakly != nil)
        #expect(worker.close(seconds: Self.secondsMax))
        wait("the object of the body is released") { weakly == nil }
    }

    @Test func `a worker's threads have its niceness, and the starter keeps its own`() {
        let process = CInt(PRIO_PROCESS.rawValue)
        let before = getpriority(process, 0)
        let worker = Worker("test", on: .own(niceness: 5), queue: Numbers())
        let niceness = Atomic(CInt(-100))
        worker.start { worker in
            niceness.store(getpriority(CInt(PRIO_PROCESS.rawValue), 0), ordering: .relaxed)
            while worker.next() != nil {}
        }
        #expect(worker.close(seconds: Self.secondsMax))
        #expect(niceness.load(ordering: .relaxed) == max(before, 5))
        #expect(getpriority(process, 0) == before)
    }
}

private final class Kept: Sendable {
    let isRun = Atomic(false)
}
