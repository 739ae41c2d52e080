import StoreAdmission
import StoreCore
import Testing

@testable import StoreHTTP

@Suite struct DispatchOutcomesTests {
    private let clock = ManualWallClock()
    private let outcomes: DispatchOutcomes
    private let shared = Caller(session: nil)

    init() {
        outcomes = DispatchOutcomes(clock: clock)
    }

    private func remember(_ version: UInt64, from session: String? = nil) -> PendingDispatch {
        let dispatch = PendingDispatch(
            AppliedAnswer(firstVersion: version, lastVersion: version, hasVisibleChange: true),
            hasActionArray: false,
            returnsState: false,
            session: session
        )
        outcomes.remember(dispatch)
        return dispatch
    }

    private func isThere(_ version: UInt64) -> Bool {
        outcomes.rememberedDispatch(version, for: shared) != nil
    }

    private func advance(seconds: Int64) { clock.advance(by: seconds * 1_000_000_000) }

    @Test func `the newest outcomes are remembered`() {
        let last = UInt64(DispatchOutcomes.dispatchesMax) + 3
        for version in 1...last { _ = remember(version) }
        #expect(!isThere(3) && isThere(4) && isThere(last))
    }

    @Test func `an outcome is remembered while it is under way and a while longer`() {
        let (ended, running) = (remember(1), remember(2))
        outcomes.endDispatch(ended, with: .succeeded(value: nil))
        advance(seconds: DispatchOutcomes.rememberedSecondsMax)
        #expect(isThere(1) && isThere(2))
        advance(seconds: 1)
        #expect(!isThere(1) && isThere(2))
        outcomes.endDispatch(running, with: .failed(reason: "It broke."))
        #expect(isThere(2))
        advance(seconds: DispatchOutcomes.rememberedSecondsMax + 1)
        #expect(!isThere(2))
    }

    @Test func `values of outcomes have a bound in bytes`() {
        let value = [UInt8](repeating: 0, count: DispatchOutcomes.valueBytesMax / 4)
        for version in 1...6 as ClosedRange<UInt64> {
            outcomes.endDispatch(remember(version), with: .succeeded(value: value))
        }
        #expect([1, 2, 3, 4, 5, 6].map(isThere) == [false, false, true, true, true, true])
    }

    @Test func `only its session and operators find an outcome`() {
        _ = remember(1, from: "ada")
        _ = remember(2)
        #expect(outcomes.rememberedDispatch(1, for: Caller(session: "ada")) != nil)
        #expect(outcomes.rememberedDispatch(1, for: Caller(session: "bob")) == nil)
        #expect(outcomes.rememberedDispatch(1, for: shared) == nil)
        #expect(outcomes.rememberedDispatch(1, for: .operator) != nil)
        #expect(outcomes.rememberedDispatch(2, for: shared) != nil)
        #expect(outcomes.rememberedDispatch(2, for: Caller(session: "ada")) == nil)
    }
}
