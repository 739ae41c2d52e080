import Dispatch
import Testing

@testable import StoreCore

/// Counts down by effects, each of which dispatches the next action.
private struct Countdown: EffectfulModule {
    struct State: ModuleState { var left = -1 }
    enum Action: ModuleAction { case counted(to: Int) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .counted(let left):
            state.left = left
            guard left > 0 else { return .none }
            return .run { context in try await context.dispatch(Action.counted(to: left - 1)) }
        }
    }
}

private struct Launch: RootState {
    var countdown = Countdown.State()
    static let modules: Modules = [Countdown().at(\.countdown)]
}

@Suite struct EffectWatchTests {
    private struct Failed: Error, Equatable { let number: Int }

    @Test func `a row of effects of any length has an end`() {
        let top = EffectWatch()
        top.begin()
        var last = top
        // Each effect dispatches the action that begins the next effect, and then ends.
        for _ in 0..<300_000 {
            let next = EffectWatch(within: last, sharing: .failures)
            next.begin()
            last.end()
            last = next
        }
        #expect(!top.isDone && last.outermostIdentity == ObjectIdentifier(top))
        last.end(.failure(Failed(number: 1)))
        #expect(top.isDone)
        top.whenDone { result in
            #expect(throws: Failed(number: 1)) { _ = try result?.get() }
        }
    }

    @Test func `a client waits for an effect that lies ten thousand actions deep`() async throws {
        let core = try Core(Launch())
        let watch = EffectWatch()
        _ = try await core.apply(Countdown.Action.counted(to: 10_000), watch: watch)
        let result = await withCheckedContinuation { continuation in
            watch.whenDone { result in
                continuation.resume(returning: result.map { $0.map { _ in () } })
            }
        }
        try result?.get()
        #expect(try await core.apply(Countdown.Action.counted(to: -2)).version == 10_002)
    }

    @Test func `a running part counts once in its parent, which ends with all parts`() {
        let top = EffectWatch()
        let part = EffectWatch(within: top, sharing: .failures)
        let beside = EffectWatch(following: top)
        part.begin()
        part.begin()
        beside.begin()
        part.end()
        part.end()
        #expect(part.isDone && !top.isDone)
        beside.end(.failure(Failed(number: 2)))
        #expect(top.isDone)
        top.whenDone { #expect($0 == nil, "later effects have results of their own") }
        // A watch may begin again.
        part.begin()
        #expect(!top.isDone)
        part.end()
        #expect(top.isDone)
    }

    @Test
    func `the first failure is the result of all, and a success of its parents`() {
        let top = EffectWatch()
        let (one, other) = (
            EffectWatch(within: top, sharing: .failures),
            EffectWatch(within: top, sharing: .everything)
        )
        for watch in [one, other] { watch.begin() }
        one.end(.success(1))
        other.begin()
        other.end(.success(2))
        one.begin()
        one.end(.failure(Failed(number: 3)))
        other.end(.failure(Failed(number: 4)))
        top.whenDone { result in
            #expect(throws: Failed(number: 3)) { _ = try result?.get() }
        }
        one.whenDone { result in
            #expect(throws: Failed(number: 3)) { _ = try result?.get() }
        }
        other.whenDone { result in
            #expect(throws: Failed(number: 4)) { _ = try result?.get() }
        }
    }

    @Test func `threads that begin and end at once leave nothing behind`() {
        let top = EffectWatch()
        let part = EffectWatch(
            within: EffectWatch(within: top, sharing: .nothing),
            sharing: .nothing
        )
        top.begin()
        top.whenDone { _ in #expect(part.isDone) }
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<10_000 {
                part.begin()
                #expect(!top.isDone)
                part.end()
            }
        }
        #expect(part.isDone && !top.isDone)
        top.end()
        #expect(top.isDone)
    }
}
