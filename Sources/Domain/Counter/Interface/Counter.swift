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
}
