import StoreControlledWorld
import StoreCore
import StoreTelemetry

/// The world outside of a server: the dependencies of its effects, and the time of day.
struct World: Sendable {
    var dependencies: Dependencies
    /// The part of the world that clients move, under `--clock test`.
    let test: TestWorld?
    /// The simulated world, which replaces threads and the disk in a simulation.
    var simulated: SimulatedWorld?
    /// The logger, which writes the lines for the operator.
    var logger = Logger.standardError

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

/// A world for tests: time stands still, random numbers and identifiers are the same in every run,
/// and effects run one after the other.
struct TestWorld: Sendable {
    let clock = ManualClock()
    let executor = OrderedExecutor(Changes())
}

/// A world in which one thread does everything, and disks fail if a test injects a fault.
struct SimulatedWorld: Sendable {
    let journal: any Journal
    /// The clock for the times of actions.
    let clock: any WallClock
    let executor: any TaskExecutor
    /// Receives the error of an append with an unknown outcome.
    let failed: @Sendable (JournalError) -> Void
    /// Makes the follower of commits. Its argument reports an append to the keeper of snapshots.
    let follower: @Sendable (@escaping @Sendable (UInt64, Int) -> Void) -> any CommitFollower
}
