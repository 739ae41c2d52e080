import StoreControlledWorld
import StoreCore
import StoreTelemetry

/// What a server has of the world: what its effects depend on, and the time of day.
struct World: Sendable {
    var dependencies: Dependencies
    /// The part of it that clients move, under `--clock test`.
    let test: TestWorld?
    /// What stands in the place of threads and of the disk in a simulation.
    var simulated: SimulatedWorld?
    /// Writes the lines for the operator.
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

/// A world in which time stands still, random numbers and identifiers are the same in every run,
/// and effects go on one after the other.
struct TestWorld: Sendable {
    let clock = ManualClock()
    let executor = OrderedExecutor(Changes())
}

/// A world in which one thread does everything, and disks fail where a test sets a fault.
struct SimulatedWorld: Sendable {
    let journal: any Journal
    /// Stamps actions.
    let clock: any WallClock
    let executor: any TaskExecutor
    /// Receives the error of an append of which it is not known whether it was made.
    let failed: @Sendable (JournalError) -> Void
    /// Makes what follows a commit, given what keeps snapshots.
    let follower: @Sendable (@escaping @Sendable (UInt64, Int) -> Void) -> any CommitFollower
}
