import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHistory
import StoreTelemetry
import StoreWire

/// What a store stands on: its place in the process, its configuration, its actions, its history.
struct StoreBase<State: Codable & Equatable & Sendable>: Sendable {
    let configuration: ServerConfiguration
    let links: Links
    let process: ServerProcess
    let world: World
    let registry: ActionRegistry<State>
    /// Writes a line to the log for each action, where the operator wants that.
    let lines: ActionLines<State>?
    /// The last analytics events; `nil` where the operator has none of them kept.
    let recentAnalytics: RecentAnalytics?
    /// Who may do what; `nil` where all may do what is served.
    let access: StoreAccess?
    let encoder = JSONEncoder()
    let journal: OpenJournal
    let history: RecoveredHistory<State>

    /// Opens the history, and makes the newest state of it.
    ///
    /// - Throws: `ConfigurationError` where the actions don't fit together, and what the journal
    ///   throws, whose description is for the operator.
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
        // The cookies' key lies in the data directory, which the journal has made.
        access = try StoreAccess(
            server,
            configuration,
            members: (server.composition.modules ?? []).map(\.name),
            beside: process.policyWorlds,
            world.logger
        )
    }

    /// Whether two values are encoded alike.
    var haveSameBytes: ByteComparison {
        { [encoder] a, b in
            guard let a = try? encoder.encodeShared(AnyEncodable(a)),
                let b = try? encoder.encodeShared(AnyEncodable(b))
            else { return false }
            return a == b
        }
    }
}
