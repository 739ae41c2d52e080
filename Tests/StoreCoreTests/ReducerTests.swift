import StoreCore
import Testing

@Suite struct ReducerTests {
    @Test func testReducer_StepChangeRequestedAction_stepMustBeUpdated() {
        let sut = AppState(counter: 1, step: 1)
        let new = reduce(sut, with: StepChangeRequested(step: 7))
        #expect(new.step == 7)
        #expect(new.counter == 1)
    }

    @Test func testReducer_CounterIncreaseRequested_counterMustBeIncreased() {
        let sut = AppState(counter: 0, step: 3)
        #expect(reduce(sut, with: CounterIncreaseRequested()).counter == 3)
    }

    @Test func testReducer_CounterDecreaseRequested_counterMustBeDecreased() {
        let sut = AppState(counter: 0, step: 3)
        #expect(reduce(sut, with: CounterDecreaseRequested()).counter == -3)
    }
}
