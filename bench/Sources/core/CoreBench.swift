import Foundation
import Harness
import StoreCore

// Measures the Core in process, on the caller's thread, beside a lock around the same reducer. The
// difference is the cost of order, queueing and observation.

struct State: Sendable {
    var counter = 0
    var step = 1
}

struct Increase: Action {}
struct Step: Action {
    let step: Int
}

@Sendable func reduce(_ state: inout State, _ action: any Action) {
    switch action {
    case is Increase: state.counter &+= state.step
    case let action as Step: state.step = action.step
    default: break
    }
}

/// A state behind a lock, with a list of observers: no queue, no order of re-entrant dispatches.
final class LockedStore: @unchecked Sendable {
    // Safety: all members are used under the lock.
    private let lock = NSLock()
    private var state = State()
    private var observers: [(State) -> Void] = []

    func observe(_ observer: @escaping (State) -> Void) {
        observers.append(observer)
    }

    func dispatch(_ action: any Action) {
        lock.lock()
        reduce(&state, action)
        for observer in observers { observer(state) }
        lock.unlock()
    }
}

@inline(never) func sink(_ value: Int) { keep(value) }

@main
enum CoreBench {
    static func main() async throws {
        print("observers   Core M/s   lock M/s   goal M/s")
        for (observers, goal) in [(0, 4.0), (1, 3.0), (100, 0.3)] {
            let core = Core<State>(state: State(), reducer: reduce)
            let locked = LockedStore()
            for _ in 0..<observers {
                core.observe { sink($0.counter) }
                locked.observe { sink($0.counter) }
            }
            let times = Race(rounds: 7).run([
                .init("Core") { for _ in 0..<100 { core.dispatch(Increase()) } },
                .init("lock") { for _ in 0..<100 { locked.dispatch(Increase()) } },
            ])
            let rates = times.map { 100_000 / $0.nanoseconds }
            print(
                pad("\(observers)", 9),
                pad(text(rates[0]), 10),
                pad(text(rates[1]), 10),
                pad(text(goal), 10)
            )
        }
        try await roundTrip("caller", Core(state: State(), reducer: reduce), goal: 1)
        await ownThread()
    }

    /// Measures a Core with a thread of its own, with one and with two producers, until all actions
    /// are applied.
    private static func ownThread() async {
        let perProducer = 500_000
        for producers in [1, 2] {
            let rates = (0..<5).map { _ in
                let core = Core<State>(state: State(), thread: "bench", reducer: reduce)
                let clock = ContinuousClock()
                let start = clock.now
                DispatchQueue.concurrentPerform(iterations: producers) { _ in
                    for _ in 0..<perProducer {
                        // At the bound the producer waits for the Core, as a server's clients do.
                        while !core.dispatch(Increase()) { sched_yield() }
                    }
                }
                core.stop()
                return Double(producers * perProducer)
                    / (start.duration(to: clock.now) / .microseconds(1))
            }
            let median = rates.sorted()[2]
            print("own thread, \(producers) producer(s):", text(median), "M/s (goal 1)")
        }
        let core = Core<State>(state: State(), thread: "bench", reducer: reduce)
        try? await roundTrip("own thread", core, goal: 30)
        core.stop()
    }

    /// Measures one awaited dispatch, from the call to the new state.
    private static func roundTrip(
        _ name: String,
        _ core: Core<State>,
        goal: Double
    ) async throws {
        var times: [Double] = []
        for _ in 0..<50 {
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<1_000 { _ = try await core.apply(Increase()) }
            times.append(start.duration(to: clock.now) / .nanoseconds(1) / 1_000)
        }
        times.sort()
        print("round trip, awaited, \(name):", text(times[25] / 1_000), "µs (goal \(text(goal)))")
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }
    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
