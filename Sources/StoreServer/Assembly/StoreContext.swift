import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHistory
import StoreJSON
import StoreTelemetry

/// The foundation of a store: its place in the process, its configuration, its actions, its
/// history.
struct StoreContext<State: Codable & Equatable & Sendable>: Sendable {
    let configuration: ServerConfiguration
    let links: Links
    let process: ServerProcess
    let world: World
    let registry: ActionRegistry<State>
    /// The lines in the log for applied actions; `nil` if the operator does not ask for them.
    let lines: ActionLines<State>?
    /// The last analytics events; `nil` if the operator keeps none of them.
    let recentAnalytics: RecentAnalytics?
    /// The access control; `nil` if every client may use everything that is served.
    let access: StoreAccess?
    let encoder = JSONEncoder()
    let journal: OpenJournal
    let history: RecoveredHistory<State>

    /// Opens the history, and makes the newest state from it.
    ///
    /// - Throws: `ConfigurationError` if the actions don't fit together; the journal's error, whose
    ///   description is for the operator.
    init(
        _ server: StoreServer<State>,
        _ configuration: ServerConfiguration,
        at links: Links,
        in process: ServerProcess,
        _ world: World
    ) throws {
        self.configuration = configuration
        self.links = links
        self.process = process
        self.world = world
        registry = try ActionRegistry(server.actions, server.composition.actions())
        recentAnalytics =
            configuration.analyticsRecent > 0
            ? RecentAnalytics(countMax: configuration.analyticsRecent) : nil
        lines = try ActionLines(configuration, registry, world.logger)
        let progress = ReplayProgress(to: world.logger)
        let replay = OpeningReplay(of: server.program, registry, showing: progress)
        journal =
            try world.simulated.map { OpenJournal($0.journal) }
            ?? server.programJournal.map { try OpenJournal($0) }
            ?? OpenJournal(configuration, follower: replay, world.logger)
        history = try RecoveredHistory(
            of: server.program,
            in: journal.journal,
            registry: registry,
            encoder: encoder,
            beginningWith: server.stateFile(configuration),
            replayed: replay.made,
            showing: progress,
            logger: world.logger
        )
        // The key for cookies lies in the data directory, which exists only after the journal is
        // open.
        access = try StoreAccess(
            server,
            configuration,
            members: (server.composition.modules ?? []).map(\.name),
            beside: process.policyWorlds,
            world.logger
        )
    }

    /// A function that is true for two values with the same encoding.
    var haveSameBytes: ByteComparison {
        { [encoder] a, b in
            guard let a = try? encoder.encodeShared(AnyEncodable(a)),
                let b = try? encoder.encodeShared(AnyEncodable(b))
            else { return false }
            return a == b
        }
    }
}

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
