public import StoreCore

/// A number that is moved by a step.
public enum Counter: ModuleInterface {
    /// A number, and the step by which it is moved.
    public struct State: ModuleState {
        /// Where the counter stands.
        public var counter: Int
        /// What one increase adds and one decrease takes away; negative and zero are allowed.
        public var step: Int

        /// Makes a counter that stands at `counter` and moves by `step`.
        public init(counter: Int = 0, step: Int = 1) {
            self.counter = counter
            self.step = step
        }
    }

    /// What may be asked of the counter.
    public enum Action: ModuleAction {
        /// The counter is to grow by its step.
        case increaseRequested
        /// The counter is to shrink by its step.
        case decreaseRequested
        /// The counter is to have another step, any 64-bit integer.
        case stepChangeRequested(step: Int)

        /// Whole wire names: clients and logs have them, so they stay.
        enum CodingKeys: String, CodingKey {
            case increaseRequested = "/CounterIncreaseRequested"
            case decreaseRequested = "/CounterDecreaseRequested"
            case stepChangeRequested = "/StepChangeRequested"
        }
    }
}
