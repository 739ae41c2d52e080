import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StoreMetrics
import StorePublishing
import StoreTelemetry

/// The parts of a store, in the order in which `init` makes them. The parts do not run before
/// ``start()``.
struct StoreAssembly<State: Codable & Equatable & Sendable>: Sendable {
    let context: StoreContext<State>
    let journal: OpenJournal
    let history: RecoveredHistory<State>
    /// The access control; `nil` if every client may use all routes.
    let access: StoreAccess?
    let firstActions: [(action: any Action, sourceLocation: String)]
    let streamWriter: StreamWriter
    let log: ActionLog
    let longPolls = LongPolls()
    let stateStreams: StateStreams
    let keeper: SnapshotKeeper
    let figures: StoreFigures
    let health: StoreHealth
    let core: Core<State>
    let store: Store
    let router: Router
    let sharedFileWriters: [SharedFileWriter]

    /// Makes the parts. Throws `ConfigurationError` if the declarations or the configuration can't
    /// be used. Other errors come from the journal, the system or the encoder.
    init(_ context: StoreContext<State>) throws {
        self.context = context

        // The parts of the past: the journal, and the newest state of the history. The journal
        // makes the data directory, which has the key for cookies. So the access control is made
        // after the journal.
        (journal, history) = try context.openHistory()
        access = try StoreAccess(context)
        firstActions = try context.firstActions(ifEmpty: history)

        // The parts for readers: streams, the log, the published states, snapshots.
        streamWriter = try StreamWriter(
            limits: context.configuration.streamLimits,
            frames: .tagged(epoch: history.epoch),
            places: context.process.threads?.streamPlaces
        )
        log = context.makeActionLog(of: history, to: streamWriter)
        let sender = TopicDistributor(streams: streamWriter, epoch: history.epoch)
        let documents = ParsedDocuments()
        let views = context.makeViewStreams(sender)
        let writer = context.composition.makeWriter(context)
        stateStreams = try context.makeStateStreams(
            of: history,
            writer,
            sender,
            views,
            longPolls,
            documents
        )
        keeper = context.makeSnapshotKeeper(of: history, stateStreams)
        let reader = context.makeReader(of: history, log, stateStreams, views, longPolls, documents)

        // The Core, with the parts that follow its actions.
        figures = context.makeFigures(of: history.journal, keeper, access)
        health = StoreHealth(context)
        core = try context.makeCore(
            continuing: history,
            keyClock: journal.keyAgeClock,
            StatePublisher(
                writer,
                to: stateStreams,
                views: views,
                log: log,
                logger: context.logger
            ),
            commands: context.makeScreenCommands(stateStreams, streamWriter),
            views,
            keeper,
            figures,
            health
        )
        let attachments = context.attachObservers(to: core, history.epoch)

        // The parts for clients: the value that the routes share, and the routes.
        store = context.makeStore(core, history.state, reader, streamWriter)
        router = StoreRoutes(
            context: context,
            store: store,
            access: access?.control,
            attachments: attachments,
            figures: figures,
            health: health
        ).makeRouter()

        // The parts for other programs: the files of shared values.
        sharedFileWriters = context.startSharedFileWriters(of: core, history)
    }
}
