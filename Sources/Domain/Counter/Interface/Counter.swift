public import StoreCore

/// A number that changes by a step.
public enum Counter: ModuleInterface {
    /// The number, and the step by which it changes.
    public struct State: ModuleState {
        /// The number.
        public var counter: Int
        /// The number that an increase adds and a decrease subtracts; it may be negative or zero.
        public var step: Int

        /// Makes a counter with this number and this step.
        public init(counter: Int = 0, step: Int = 1) {
            self.counter = counter
            self.step = step
        }
    }

    /// Actions on the counter.
    public enum Action: ModuleAction {
        /// The counter grows by its step.
        case increaseRequested
        /// The counter shrinks by its step.
        case decreaseRequested
        /// The counter gets another step, which may be any 64-bit integer.
        case stepChangeRequested(step: Int)

        /// The whole wire names. They must not change, because clients and logs have these names.
        enum CodingKeys: String, CodingKey {
            case increaseRequested = "/CounterIncreaseRequested"
            case decreaseRequested = "/CounterDecreaseRequested"
            case stepChangeRequested = "/StepChangeRequested"
        }
    }
}
