import StoreCore
public import StorePatterns

/// Asks the counter to grow by its step.
public struct CounterIncreaseRequested: StateUpdater, Equatable {
    /// Makes the request; it has no fields.
    public init() {}

    /// Refused where the sum would leave the range of a 64-bit integer.
    public func updateState(_ state: inout Counter.State) throws {
        try state.move(to: state.counter.addingReportingOverflow(state.step))
    }
}

/// Asks the counter to shrink by its step.
public struct CounterDecreaseRequested: StateUpdater, Equatable {
    /// Makes the request; it has no fields.
    public init() {}

    /// Refused where the difference would leave the range of a 64-bit integer.
    public func updateState(_ state: inout Counter.State) throws {
        try state.move(to: state.counter.subtractingReportingOverflow(state.step))
    }
}

/// Asks for another step.
public struct StepChangeRequested: StateUpdater, Equatable {
    /// The step from now on; any value of a 64-bit integer.
    public let step: Int

    /// Makes the request for this step.
    public init(step: Int) {
        self.step = step
    }

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
