import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreJSON
import StorePublishing
import StoreTelemetry

/// The values from which the parts of a store are made: its declarations, its configuration, its
/// links, its process, and the tables of its actions.
struct StoreContext<State: Codable & Equatable & Sendable>: Sendable {
    let server: Server<State>
    let configuration: ServerConfiguration
    let links: Links
    let process: ServerProcess
    let world: World
    /// The function that handles a failure of the journal; `nil` if a line in the log is enough.
    let journalFailureHandling: JournalFailureHandling?
    let encoder = JSONEncoder()
    let registry: ActionRegistry<State>
    /// The writer of a line in the log for each applied action; `nil` if the operator does not ask
    /// for these lines.
    let actionLineWriter: ActionLineWriter<State>?
    /// The newest analytics events; `nil` if the configuration keeps no events.
    let recentAnalytics: RecentAnalytics?
    /// The modules that a batch changes. The Core notes these modules, and the publisher encodes
    /// their slices.
    let editedModules: EditedModules
    let encodeTimes: EncodeTimes

    /// Makes the context of the store at `links`. Throws if the actions don't fit together, or if
    /// the configuration excludes an unknown action from the log.
    init(
        _ server: Server<State>,
        _ configuration: ServerConfiguration,
        at links: Links = Links(),
        in process: ServerProcess,
        _ world: World,
        whenJournalFails journalFailure: JournalFailureHandling? = nil
    ) throws(ConfigurationError) {
        self.server = server
        self.configuration = configuration
        self.links = links
        self.process = process
        self.world = world
        self.journalFailureHandling = journalFailure
        registry = try ActionRegistry(server.actions, server.composition.actions())
        actionLineWriter = try ActionLineWriter(configuration, registry, world.logger)
        recentAnalytics =
            configuration.analytics.recentEventsMax.map { RecentAnalytics(countMax: $0) }
        editedModules = EditedModules(
            hasOwnedSlices: server.composition.layout?.readerDependentModules.isEmpty == false
        )
        encodeTimes = EncodeTimes(server.memberNames)
        try checkSessions()
    }

    /// Refuses a store that needs sessions but has none. Also refuses a store on disk that follows
    /// the departures of sessions.
    private func checkSessions() throws(ConfigurationError) {
        let hasSessions = composition.sessions(of: server.state) != nil
        if hasClientsOfRoot, hasSessions, process.servedStores.first?.store.sessions == nil {
            throw ConfigurationError(
                "the store '\(links.storeName ?? "")' uses the sessions of the store at /, which "
                    + "has none; add `Sessions` to the root state there, too"
            )
        }
        guard let module = composition.modules?.first(where: { $0.departureAction != nil })?.name
        else { return }
        guard configuration.history.ephemeral else {
            throw ConfigurationError(
                "module '\(module)' follows the open streams of sessions, which end with the "
                    + "process; keep its store in memory, with .ephemeral()"
            )
        }
        guard hasSessions else {
            throw ConfigurationError(
                "module '\(module)' follows sessions, but the state has none; add "
                    + "`var sessions = Sessions.State()` and `Sessions().at(\\.sessions)`"
            )
        }
    }

    /// True if this store has the clients of the store at `/`, with their cookies, credentials and
    /// sessions.
    var hasClientsOfRoot: Bool { server.isEphemeral && links.storeName != nil }

    var composition: any StateComposition<State> { server.composition }

    var logger: Logger { world.logger }

    /// True if a policy gives each client a role.
    var hasRoles: Bool { configuration.access.policyFile != nil }
}

/// The world outside a store: the dependencies of its effects, the clock of a test, and the log.
struct World: Sendable {
    var dependencies: Dependencies
    /// The clock that clients move, and the executor of effects, with `--clock test`; otherwise
    /// `nil`.
    let testWorld: TestWorld?
    /// The replacement of threads and the disk in a simulation; `nil` outside a simulation.
    var simulatedWorld: SimulatedWorld?
    var logger = Logger.standardError

    init(_ dependencies: Dependencies, _ clock: ClockSource) {
        testWorld = clock == .test ? TestWorld() : nil
        self.dependencies = testWorld.map { dependencies.controlled(by: $0.clock) } ?? dependencies
    }
}

/// A world for tests: time stands still, random numbers and identifiers are the same in every run,
/// and effects run one after the other.
struct TestWorld: Sendable {
    let clock = ManualClock()
    let executor = OrderedExecutor(ChangeSignal())
}

/// A world in which one thread does everything, and disks fail if a test injects a fault.
struct SimulatedWorld: Sendable {
    let journal: any Journal
    /// The clock for the times of actions.
    let clock: any WallClock
    let executor: any TaskExecutor
    /// The function that receives the error of an append with an unknown outcome.
    let onJournalFailure: @Sendable (JournalError) -> Void
    /// The function that makes the follower of commits. Its argument is the function that reports
    /// an append to the keeper of snapshots.
    let makeFollower: @Sendable (@escaping @Sendable (UInt64, Int) -> Void) -> any CommitFollower
}
