public import DefaultCounterInterface
public import StoreCore

struct CounterModule: Module {
    typealias Interface = Counter

    /// Applies an action. Refuses the action if the counter would leave the range of a 64-bit
    /// integer.
    func reduce(_ state: inout State, _ action: Counter.Action) throws {
        switch action {
        case .increaseRequested:
            try state.setCounter(checking: state.counter.addingReportingOverflow(state.step))
        case .decreaseRequested:
            try state.setCounter(checking: state.counter.subtractingReportingOverflow(state.step))
        case .stepChangeRequested(let step): state.step = step
        }
    }
}

extension Counter.State {
    fileprivate mutating func setCounter(checking result: (partialValue: Int, overflow: Bool))
        throws
    {
        guard !result.overflow else {
            throw Refusal(
                reason: "The counter stands at \(counter); a step of \(step) would leave the range "
                    + "\(Int.min)...\(Int.max)."
            )
        }
        counter = result.partialValue
    }
}

extension Counter {
    /// The module, for the program that mounts it.
    public static var module: some Module<State> { CounterModule() }
}
