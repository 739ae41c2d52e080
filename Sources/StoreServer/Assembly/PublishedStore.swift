import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StorePatterns
import StorePublishing
import StoreWire
import Synchronization

/// The published parts of a store: the state and its streams, the log of actions, snapshots.
struct PublishedStore<State: Codable & Equatable & Sendable>: Sendable {
    let streams: StreamWriter
    let log: ActionLog
    let waiters = LongPolls()
    let documents = ParsedDocuments()
    /// The projections of the state; `nil` if it has no modules.
    let views: ViewStreams<State>?
    /// The modules that a batch changes; the Core notes them, and the publisher encodes them.
    let touched: EditedModules
    let publisher: StatePublisher<State>
    /// The published state and its streams.
    let states: StateStreams
    let keeper: SnapshotKeeper
    /// The time that encoding the state takes.
    let encodeTimes: EncodeTimes
    /// The sender of commands to the screens of sessions; `nil` if the state has none.
    let commands: ScreenCommands?

    /// Makes the published parts.
    ///
    /// - Throws: an error if the system refuses a descriptor, or the state has no JSON form.
    init(_ base: StoreContext<State>, _ composition: any StateComposition<State>) throws {
        let (history, encoder, logger) = (base.history, base.encoder, base.world.logger)
        let (epoch, threads) = (history.epoch, base.process.threads)
        let streams = try StreamWriter(
            limits: base.configuration.streamLimits,
            frames: .tagged(epoch: epoch),
            places: threads?.places
        )
        self.streams = streams
        log = ActionLog(
            journal: history.journal,
            epoch: epoch,
            version: history.version,
            logger: logger,
            owners: RecordOwners(
                base.registry.table,
                composition.modules?.map { ($0.name, $0.ownership) } ?? [],
                hasRoles: base.access != nil
            ),
            on: base.process.journalThreads
        ) { [weak streams] in
            streams?.logMoved()
        }
        streams.follow(log)
        let layout = composition.layout
        touched = EditedModules(hasSessions: layout?.ofSessions.isEmpty == false)
        let sender = TopicSender(streams: streams, epoch: epoch)
        let linked = LinkedActions(
            base.links,
            base.registry.table,
            encoder,
            bytesMax: base.configuration.uriBytesMax
        )
        views = composition.views.map {
            ViewStreams($0, sender, encoder.linking(to: linked), logger)
        }
        encodeTimes = EncodeTimes(composition.modules?.map(\.name) ?? [])
        let writer = composition.writer(encoder, touched, measuring: encodeTimes)
        let tag = Tag(epoch: epoch, version: history.version)
        let states = StateStreams(
            try writer.first(history.state, at: tag),
            sender,
            layout: layout,
            documents: documents,
            views: views,
            waiters: waiters,
            on: threads?.readers
        ) { [weak transport = base.process.transport] in
            transport?.wake()
        }
        self.states = states
        publisher = StatePublisher(writer, to: states, views: views, log: log, logger: logger)
        let hasSessions = composition.modules?.contains { $0.name == Sessions.name } == true
        commands =
            hasSessions
            ? ScreenCommands(of: Sessions.name, to: states, encoder, logger) { [streams] in
                streams.counters.commandsDropped.add(1, ordering: .relaxed)
            } : nil
        let bounds = base.configuration.snapshotBounds
        keeper = SnapshotKeeper(
            journal: history.journal,
            form: history.replay.form,
            savedVersion: history.journal.newestSnapshot ?? 0,
            recordsMax: bounds.records,
            bytesMax: bounds.bytes,
            logger: logger,
            on: base.process.journalThreads,
            newest: { states.snapshot }
        )
    }

    /// Returns the reader, through which all routes read the store.
    func reader(
        _ base: StoreContext<State>,
        _ composition: any StateComposition<State>
    ) -> StateReader {
        let newest = states.newest
        let encoder = base.encoder
        return StateReader(
            of: log,
            newest: newest,
            past: TimeTravel(
                base.history.replay,
                epoch: log.epoch,
                encoding: { composition.encoding(encoder) },
                logger: base.world.logger
            ),
            documents: documents,
            views: views,
            streams: states,
            waiters: waiters,
            comparison: composition.comparison(encoder),
            threads: ReadingThreads(
                waitingMax: base.configuration.connectionsMax,
                on: base.process.threads?.readers
            ) {
                newest.value.version
            }
        )
    }
}
