import Dispatch
import StoreCore
import StorePatterns
import Testing

@Suite struct CoreTests {
    @Test func `an observer gets the state at once and after every action`() {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let seen = Journaled<Int>()
        core.observe { state in seen.add(state.counter) }
        #expect(seen.values == [0])
        core.dispatch(CounterIncreaseRequested())
        core.dispatch(ScreenShown(name: "Main"))
        core.dispatch(CounterIncreaseRequested())
        #expect(seen.values == [0, 1, 1, 2])
    }

    @Test func `observers are called in the order in which they subscribed`() {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let order = Journaled<Int>()
        for number in 0..<20 { core.observe { _ in order.add(number) } }
        let before = order.values.count
        core.dispatch(CounterIncreaseRequested())
        #expect(Array(order.values[before...]) == Array(0..<20))
    }

    @Test func `a dispatch from an observer runs after all observers of the first action`() {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let seen = Journaled<String>()
        core.observe { state in
            seen.add("a\(state.counter)")
            if state.counter == 1 { core.dispatch(CounterIncreaseRequested()) }
        }
        core.observe { state in seen.add("b\(state.counter)") }
        core.dispatch(CounterIncreaseRequested())
        #expect(seen.values == ["a0", "b0", "a1", "b1", "a2", "b2"])
    }

    @Test func `a dispatch from a reducer is queued behind the action it reduces`() {
        let holder = Journaled<Core<Int>>()
        let core = Core<Int>(state: 0) { (state: Int, action: any Action) -> Int in
            if action is ScreenShown { holder.values.first?.dispatch(CounterIncreaseRequested()) }
            return state + 1
        }
        holder.add(core)
        let seen = Journaled<Int>()
        core.observe { seen.add($0) }
        core.dispatch(ScreenShown(name: ""))
        #expect(seen.values == [0, 1, 2])
    }

    @Test func `middleware sees the old state and the action, and nothing at the start`() {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let tracked = Journaled<String>()
        core.add(middleware: { (state, action) in
            switch action {
            case let payload as ScreenShown: tracked.add("\(payload.name) \(state.counter)")
            default: tracked.add("\(state.counter)")
            }
        })
        #expect(tracked.values.isEmpty)
        core.dispatch(CounterIncreaseRequested())
        core.dispatch(ScreenShown(name: "Main"))
        #expect(tracked.values == ["0", "Main 1"])
    }

    @Test func `disposed middleware sees nothing more`() {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let tracked = Journaled<Int>()
        do {
            let disposer = Disposer()
            core.onAction { (state, _) in tracked.add(state.counter) }.dispose(on: disposer)
            core.dispatch(CounterIncreaseRequested())
        }
        core.dispatch(CounterIncreaseRequested())
        #expect(tracked.values == [0])
    }

    @Test func `an observer that was ended is not called again, also when it ends itself`() {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let seen = Journaled<Int>()
        let ending = Journaled<PlainCommand>()
        let unsubscribe: PlainCommand? = core.observe { state in
            seen.add(state.counter)
            if state.counter == 2 { ending.values.first?() }
        }
        if let unsubscribe { ending.add(unsubscribe) }
        for _ in 0..<5 { core.dispatch(CounterIncreaseRequested()) }
        #expect(seen.values == [0, 1, 2])
        unsubscribe?()
    }

    @Test func `observers are called on the queue that they ask for`() async {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let render = DispatchQueue(label: "render")
        let place = DispatchSpecificKey<String>()
        render.setSpecific(key: place, value: "render")
        let onQueue = await withCheckedContinuation { continuation in
            core.observe(on: render) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: place))
            }
        }
        #expect(onQueue == "render")
    }

    @Test func `awaiting a dispatch gives the version and the state of that version`() async throws
    {
        let core = Core<AppState>(state: AppState.initial, reducer: reduce)
        let first = try await core.apply(StepChangeRequested(step: 7))
        let second = try await core.apply(CounterIncreaseRequested())
        #expect(first.version == 1)
        #expect(second.version == 2)
        #expect(second.state == AppState(counter: 7, step: 7))
    }

    @Test func `a refusal reaches the dispatcher and leaves no trace`() async throws {
        let core = Core<[String]>(state: []) { (list: inout [String], action: any Action) throws in
            try append(&list, action)
        }
        let seen = Journaled<Int>()
        core.observe { seen.add($0.count) }
        #expect(
            await refusal { try await core.apply(Forbidden()) }
                == Refusal(reason: "Not this one.", pointer: "/name")
        )
        let next = try await core.apply(CounterIncreaseRequested())
        #expect(next.version == 1)
        #expect(seen.values == [0, 1])
    }

    @Test func `the three forms of a reducer make the same states`() {
        let actions: [any Action] = [
            StepChangeRequested(step: 7), CounterIncreaseRequested(), ScreenShown(name: "Main"),
            CounterDecreaseRequested(), CounterIncreaseRequested(),
        ]
        let cores = [
            Core<AppState>(state: .initial, reducer: reduce),
            Core<AppState>(state: .initial) { (state: inout AppState, action: any Action) in
                state = reduce(state, with: action)
            },
            Core<AppState>(state: .initial) {
                (state: inout AppState, action: any Action) throws in
                try refuse(Forbidden.self, action)
                state = reduce(state, with: action)
            },
        ]
        let seen = cores.map { core in
            let states = Journaled<AppState>()
            core.observe { states.add($0) }
            for action in actions { core.dispatch(action) }
            return states.values
        }
        #expect(seen[0].map(\.counter) == [0, 0, 7, 7, 0, 7])
        #expect(seen.allSatisfy { $0 == seen[0] })
    }

    @Test func `a state of a Core need only be sendable`() {
        struct Opaque: Sendable { let value: Int }
        let core = Core<Opaque>(state: Opaque(value: 1)) { (state: Opaque, _: any Action) in state }
        let seen = Journaled<Int>()
        core.observe { seen.add($0.value) }
        #expect(seen.values == [1])
    }

    @Test func `eight threads make a single order without a hole`() async throws {
        let core = Core<Int>(state: 0) { (state: inout Int, _: any Action) in state += 1 }
        let seen = Journaled<Int>()
        core.observe { seen.add($0) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 where !core.dispatch(CounterIncreaseRequested()) {
                        Issue.record("The mailbox refused an action.")
                    }
                }
            }
        }
        // The function `dispatch` may return before another thread applies the action; `await`
        // waits for that.
        let last = try await core.apply(CounterIncreaseRequested())
        #expect(last.version == 8_001)
        #expect(seen.values == Array(0...8_001))
    }

    @Test func `a Core with its own thread works off its mailbox before it stops`() async throws {
        let core = Core<AppState>(state: AppState.initial, thread: "test") { state, action in
            state = reduce(state, with: action)
        }
        for _ in 0..<1_000 { #expect(core.dispatch(CounterIncreaseRequested())) }
        let last = try await core.apply(CounterIncreaseRequested())
        #expect(last.version == 1_001 && last.state.counter == 1_001)
        core.stop()
        #expect(!core.dispatch(CounterIncreaseRequested()))
        let error = await #expect(throws: DispatchError.self) {
            try await core.apply(CounterIncreaseRequested())
        }
        #expect(error?.code == .closed)
    }
}
