import StoreCore

/// What a server has of the world: what its effects depend on, and the time of day.
struct World: Sendable {
    var dependencies: Dependencies
    /// The part of it that clients move, under `--clock test`.
    let test: TestWorld?

    init(_ dependencies: Dependencies, _ clock: ClockSource) {
        switch clock {
        case .system:
            self.dependencies = dependencies
            test = nil
        case .test:
            let test = TestWorld()
            self.dependencies = dependencies.controlled(by: test.clock)
            self.test = test
        }
    }
}

/// A world in which time stands still, random numbers and identifiers are the same in every run, and
/// effects go on one after the other.
struct TestWorld: Sendable {
    let clock = ManualClock()
    let executor = OrderedExecutor(Changes())
}
