public import CounterInterface
public import StoreCore

/// Applies the counter's actions, each of which contains its own part of the reducer.
struct CounterModule: Module {
    typealias Interface = Counter

    static let dispatchables: [any Dispatchable.Type] = [
        CounterIncreaseRequested.self, CounterDecreaseRequested.self, StepChangeRequested.self,
    ]
}

extension Counter {
    /// The module, for the program that mounts it.
    public static var module: some Module<State> { CounterModule() }
}
