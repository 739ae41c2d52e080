public import StoreCore

/// Asks the counter to grow by its step.
public struct CounterIncreaseRequested: Action, Codable, Equatable {
    /// Makes the request; it has no fields.
    public init() {}
}

/// Asks the counter to shrink by its step.
public struct CounterDecreaseRequested: Action, Codable, Equatable {
    /// Makes the request; it has no fields.
    public init() {}
}

/// Asks for another step.
public struct StepChangeRequested: Action, Codable, Equatable {
    /// The step from now on; any value of a 64-bit integer.
    public let step: Int

    /// Makes the request for this step.
    public init(step: Int) {
        self.step = step
    }
}
