import StoreCore
import StorePlatform
import StoreTestSupport
import Synchronization
import Testing

/// Cores on the threads of a pool. Each wait of these tests ends with an event. Only with a broken
/// Core, a wait lasts until its bound.
struct PooledCoresTests {
    private static let secondsMax = 60.0

    @Test func `twenty Cores share two threads, and each works one action at a time`() async {
        let pool = ThreadPool(name: "test", threadsMax: 2)
        let counters = (0..<20).map { _ in Counter(on: pool) }
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 {
                        #expect(counters[(number + producer) % 20].add())
                        if number % 16 == 0 { await Task.yield() }
                    }
                }
            }
        }
        #expect(pool.counts.threads <= 2)
        for counter in counters { counter.core.stop() }
        #expect(counters.allSatisfy { $0.shown.load(ordering: .relaxed) == 400 })
        #expect(counters.allSatisfy { $0.work.overlaps.load(ordering: .relaxed) == 0 })
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a Core without work has no thread, and each action begins a turn`() {
        let pool = ThreadPool(name: "test", threadsMax: 1, idleSecondsMax: 0)
        let counter = Counter(on: pool)
        for _ in 0..<200 {
            wait("the pool has no thread") { pool.counts.threads == 0 }
            #expect(counter.add())
            #expect(counter.changed.wait(seconds: Self.secondsMax))
        }
        counter.core.stop()
        #expect(counter.shown.load(ordering: .relaxed) == 200)
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `reducers that hang leave the other Cores a thread, and end it afterwards`() {
        let pool = ThreadPool(name: "test", threadsMax: 2)
        let counters = (0..<6).map { _ in Counter(on: pool) }
        let (stuck, others) = (counters.prefix(2), counters.dropFirst(2))
        for counter in stuck {
            #expect(counter.dispatch(Hang()))
            #expect(counter.work.isHanging.wait(seconds: Self.secondsMax))
        }
        for counter in counters { #expect(counter.add()) }
        pool.beginMissingThread()
        pool.beginMissingThread()
        for _ in 0..<10 {
            for counter in others {
                #expect(counter.changed.wait(seconds: Self.secondsMax))
                #expect(counter.add())
            }
        }
        #expect(stuck.allSatisfy { $0.shown.load(ordering: .relaxed) == 0 })
        for counter in stuck { counter.work.goesOn.open() }
        for counter in counters { counter.core.stop() }
        #expect(stuck.allSatisfy { $0.shown.load(ordering: .relaxed) == 1 })
        #expect(others.allSatisfy { $0.shown.load(ordering: .relaxed) == 11 })
        wait("the surplus of threads ends") { pool.counts.threads <= 2 }
        #expect(pool.counts.heldThreads == 0)
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a Core stops with all that it took, while another hangs and goes on`() {
        let pool = ThreadPool(name: "test", threadsMax: 2)
        let (stopped, other) = (Counter(on: pool), Counter(on: pool))
        #expect(other.dispatch(Hang()))
        #expect(other.work.isHanging.wait(seconds: Self.secondsMax))
        for _ in 0..<5_000 { #expect(stopped.add()) }
        stopped.core.stop()
        #expect(stopped.shown.load(ordering: .relaxed) == 5_000)
        #expect(!stopped.add())
        stopped.core.stop()
        #expect(other.add())
        other.work.goesOn.open()
        #expect(other.changed.wait(seconds: Self.secondsMax))
        other.core.stop()
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `two busy Cores share one thread by turns`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let hanging = Counter(on: pool)
        #expect(hanging.dispatch(Hang()))
        #expect(hanging.work.isHanging.wait(seconds: Self.secondsMax))
        let order = Journaled<Int>()
        let counters = (0..<2).map { number in
            Counter(on: pool) {
                order.add(number)
                useUpTurn()
            }
        }
        for counter in counters {
            // Each action comes while the Core works, so a turn never finds its mailbox empty.
            counter.core.observe { [core = counter.core] count in
                if (1..<10).contains(count) { core.dispatch(Add()) }
            }
            #expect(counter.add())
        }
        hanging.work.goesOn.open()
        wait("20 turns are noted") { order.values.count >= 20 }
        for counter in counters { counter.core.stop() }
        hanging.core.stop()
        #expect(order.values == (0..<20).map { $0 % 2 })
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a Core works off a large batch in turns with another Core`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let hanging = Counter(on: pool)
        #expect(hanging.dispatch(Hang()))
        #expect(hanging.work.isHanging.wait(seconds: Self.secondsMax))
        let order = Journaled<Int>()
        let counters = (0..<2).map { number in
            Counter(on: pool) {
                order.add(number)
                useUpTurn()
            }
        }
        for counter in counters {
            for _ in 0..<10 { #expect(counter.add()) }
        }
        hanging.work.goesOn.open()
        for counter in counters { counter.core.stop() }
        hanging.core.stop()
        #expect(order.values == (0..<20).map { $0 % 2 })
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a request is applied once though its key came in an earlier turn`() throws {
        let (requests, keys) = (2_100, 1_400)
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let hanging = Counter(on: pool)
        #expect(hanging.dispatch(Hang()))
        #expect(hanging.work.isHanging.wait(seconds: Self.secondsMax))
        let journal = OvertakenJournal(MemoryJournal())
        let counter = Counter(on: pool, journal: journal) { count in
            if count % 100 == 0 { useUpTurn() }
        }
        let rival = Rival(on: pool)
        let outcomes = Outcomes()
        for number in 0..<requests {
            // The first 1,400 keys are 700 pairs, side by side; the other 700 come once.
            let key = IdempotencyKey(key: "\(number < 1_400 ? number / 2 : number - 700)")
            try counter.core.engine.offer(
                Envelope(
                    members: [.init(action: Add(), type: "Add")],
                    idempotency: Idempotency(key: key, fingerprint: [1]),
                    completion: outcomes
                )
            )
        }
        hanging.work.goesOn.open()
        for core in [counter.core, hanging.core] { core.stop() }
        rival.isOver.store(true, ordering: .relaxed)
        #expect(journal.version == UInt64(keys))
        #expect(outcomes.all.values.count == requests)
        // The first item is the observer.
        #expect(journal.lookUps.values == [1_023, 1_024, 53], "a portion's keys at once")
        #expect(rival.turns.load(ordering: .relaxed) >= keys / 100)
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `an offer without a wake-up begins no turn, and a wake-up begins a turn`()
        throws
    {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let counter = Counter(on: pool)
        #expect(counter.add())
        #expect(counter.changed.wait(seconds: Self.secondsMax))
        wait("the pool has an idle thread") { pool.counts.idleThreads > 0 }
        let hanging = Counter(on: pool)
        #expect(hanging.dispatch(Hang()))
        #expect(hanging.work.isHanging.wait(seconds: Self.secondsMax))
        for _ in 0..<3 {
            let envelope = Envelope(
                members: [.init(action: Add(), type: "Add")],
                completion: Outcomes()
            )
            try counter.core.engine.offer(envelope, wakes: false)
        }
        #expect(!pool.hasWaitingTasks)
        counter.core.engine.wakeIfNeeded()
        counter.core.engine.wakeIfNeeded()
        #expect(pool.counts.waitingTasks == 1)
        hanging.work.goesOn.open()
        for counter in [counter, hanging] { counter.core.stop() }
        #expect(counter.shown.load(ordering: .relaxed) == 4)
        #expect(pool.close(seconds: Self.secondsMax))
    }

    @Test func `a Core whose pool was closed before it stops all the same`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let counter = Counter(on: pool)
        #expect(counter.add())
        #expect(counter.changed.wait(seconds: Self.secondsMax))
        wait("the pool has an idle thread") { pool.counts.idleThreads > 0 }
        #expect(pool.close(seconds: Self.secondsMax))
        #expect(counter.add())
        counter.core.stop()
        #expect(counter.shown.load(ordering: .relaxed) == 2)
    }
}

private struct Add: Action {}
private struct Hang: Action {}

/// A Core on a pool. Its state is the number of actions.
private final class Counter: Sendable {
    let core: Core<Int>
    let work: Work
    /// The newest count that an observer got.
    let shown = Atomic(0)
    /// Signals each count but the first.
    let changed = TimedSemaphore()

    /// A Core on the pool. `adding` is called in the reducer for each action that counts.
    convenience init(on pool: ThreadPool, adding: @escaping @Sendable () -> Void = {}) {
        self.init(on: pool, journal: nil) { _ in adding() }
    }

    /// Makes the same Core with a journal. `adding` gets the count.
    init(
        on pool: ThreadPool,
        journal: (any Journal)?,
        adding: @escaping @Sendable (Int) -> Void
    ) {
        var configuration = CoreConfiguration<Int>()
        configuration.journal = journal
        configuration.driver = .pool(pool)
        let work = Work()
        self.work = work
        core = Core(
            state: 0,
            reducer: .mutating { count, action in work.reduce(&count, action, adding) },
            configuration: configuration
        )
        core.start()
        core.observe { [weak self] count in
            guard let self, count > 0, count != shown.load(ordering: .relaxed) else { return }
            shown.store(count, ordering: .relaxed)
            changed.signal()
        }
    }

    func add() -> Bool { dispatch(Add()) }

    func dispatch(_ action: any Action) -> Bool { core.dispatch(action) }
}

/// A task that always waits for another turn, until it is over.
private final class Rival: PooledTask {
    let turns = Atomic(0)
    let isOver = Atomic(false)
    private let pool: ThreadPool

    init(on pool: ThreadPool) {
        self.pool = pool
        pool.submit(self)
    }

    func takeTurn() {
        turns.add(1, ordering: .relaxed)
        if !isOver.load(ordering: .relaxed) { pool.submit(self) }
    }
}

/// The work of the reducer of a ``Counter``.
private final class Work: Sendable {
    /// The number of reducer calls during another call.
    let overlaps = Atomic(0)
    let isHanging = Latch()
    /// A latch that ends the action that hangs.
    let goesOn = Latch()
    private let running = Atomic(0)

    func reduce(_ count: inout Int, _ action: any Action, _ adding: (Int) -> Void) {
        if running.add(1, ordering: .relaxed).oldValue > 0 { overlaps.add(1, ordering: .relaxed) }
        if action is Hang {
            isHanging.open()
            _ = goesOn.wait()
        } else {
            count += 1
            adding(count)
        }
        running.subtract(1, ordering: .relaxed)
    }
}
