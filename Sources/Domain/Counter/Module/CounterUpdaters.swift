public import CounterInterface
import StoreCore
public import StorePatterns

extension CounterIncreaseRequested: StateUpdater {
    /// Refused where the sum would leave the range of a 64-bit integer.
    public func updateState(_ state: inout Counter.State) throws {
        try state.move(to: state.counter.addingReportingOverflow(state.step))
    }
}

extension CounterDecreaseRequested: StateUpdater {
    /// Refused where the difference would leave the range of a 64-bit integer.
    public func updateState(_ state: inout Counter.State) throws {
        try state.move(to: state.counter.subtractingReportingOverflow(state.step))
    }
}

extension StepChangeRequested: StateUpdater {
    /// Any step will do.
    public func updateState(_ state: inout Counter.State) { state.step = step }
}

extension Counter.State {
    fileprivate mutating func move(to result: (partialValue: Int, overflow: Bool)) throws {
        guard !result.overflow else {
            throw Refusal(
                reason: "The counter stands at \(counter); a step of \(step) would leave the range "
                    + "\(Int.min)...\(Int.max)."
            )
        }
        counter = result.partialValue
    }
}
