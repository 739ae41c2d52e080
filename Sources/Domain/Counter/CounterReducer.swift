public import StoreCore

/// The counter's next state.
///
/// - Throws: `Refusal` where the sum would leave the range of a 64-bit integer.
public func counterReducer(_ state: inout CounterState, _ action: any Action) throws {
    switch action {
    case is CounterIncreaseRequested:
        state.counter = try moved(state.counter.addingReportingOverflow(state.step), state)
    case is CounterDecreaseRequested:
        state.counter = try moved(state.counter.subtractingReportingOverflow(state.step), state)
    case let action as StepChangeRequested:
        state.step = action.step
    default:
        break
    }
}

private func moved(
    _ result: (partialValue: Int, overflow: Bool),
    _ state: CounterState
) throws -> Int {
    guard !result.overflow else {
        throw Refusal(
            reason: "The counter stands at \(state.counter); a step of \(state.step) would leave "
                + "the range \(Int.min)...\(Int.max).",
            pointer: nil
        )
    }
    return result.partialValue
}
