import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StorePatterns
import StorePublishing
import StoreWire
import Synchronization

// The parts that readers use: streams, the log, the published states, snapshots.

extension StoreContext {
    /// Makes the log of actions, which the streams follow.
    func makeActionLog(of history: RecoveredHistory<State>, to streams: StreamWriter) -> ActionLog {
        let log = ActionLog(
            journal: history.journal,
            epoch: history.epoch,
            version: history.version,
            logger: logger,
            visibility: RecordVisibility(
                registry.table,
                composition.readOwnership,
                hasRoles: hasRoles,
                readers: composition.makeReadersFinder(history.replay)
            ),
            on: process.journalThreads
        ) { [weak streams] in streams?.wakeLogReaders() }
        streams.setLogSource(log)
        return log
    }

    /// Makes the streams of the state's projections; `nil` if the state has no modules.
    func makeViewStreams(_ sender: TopicDistributor) -> ViewStreams<State>? {
        composition.views.map { views in
            let linked = ActionLinker(
                links,
                registry.table,
                encoder,
                bytesMax: configuration.http.uriBytesMax
            )
            return ViewStreams(views, sender, encoder.linking(to: linked), logger)
        }
    }

    /// Makes the published states and their streams. The first published state is the newest
    /// version of the history.
    func makeStateStreams(
        of history: RecoveredHistory<State>,
        _ writer: any StateWriter<State>,
        _ sender: TopicDistributor,
        _ views: ViewStreams<State>?,
        _ waiters: LongPolls,
        _ documents: ParsedDocuments
    ) throws -> StateStreams {
        let tag = Tag(epoch: history.epoch, version: history.version)
        return StateStreams(
            try writer.firstSnapshot(history.state, at: tag),
            sender,
            layout: composition.layout,
            documents: documents,
            views: views,
            waiters: waiters,
            on: process.threads?.readerThreads,
            pace: publicationPace
        ) { [weak transport = process.transport] in transport?.wake() }
    }

    /// The pace of publications, with timers of the event loop; `nil` if the program declares no
    /// pace.
    private var publicationPace: PublicationPace? {
        guard let pace = server.memoryHistory?.pace, pace > .zero else { return nil }
        return PublicationPace { [weak transport = process.transport] body in
            transport?.schedule(after: pace / .seconds(1), body)
        }
    }

    /// Makes the sender of commands to the screens of sessions; `nil` if the state has no sessions.
    func makeScreenCommands(_ states: StateStreams, _ streams: StreamWriter) -> ScreenCommandSender?
    {
        guard server.memberNames.contains(Sessions.name) else { return nil }
        return ScreenCommandSender(of: Sessions.name, to: states, encoder, logger) {
            streams.counters.commandsDropped.add(1, ordering: .relaxed)
        }
    }

    func makeSnapshotKeeper(
        of history: RecoveredHistory<State>,
        _ states: StateStreams
    ) -> SnapshotKeeper {
        let bounds = configuration.snapshotBounds
        return SnapshotKeeper(
            journal: history.journal,
            stateFormDigest: history.replay.stateFormDigest,
            savedVersion: history.journal.newestSnapshotVersion ?? 0,
            recordsMax: bounds.records,
            bytesMax: bounds.bytes,
            logger: logger,
            on: process.journalThreads,
            newestState: { states.snapshot }
        )
    }

    /// Makes the reader of the store for all routes.
    func makeReader(
        of history: RecoveredHistory<State>,
        _ log: ActionLog,
        _ states: StateStreams,
        _ views: ViewStreams<State>?,
        _ waiters: LongPolls,
        _ documents: ParsedDocuments
    ) -> StateReader {
        let newest = states.newest
        return StateReader(
            of: log,
            newest: newest,
            past: TimeTravel(
                history.replay,
                epoch: log.epoch,
                makeEncoding: { [composition, encoder] in composition.makePastStateEncoding(encoder)
                },
                logger: logger
            ),
            documents: documents,
            views: views,
            streams: states,
            longPolls: waiters,
            compareDryRun: composition.makeDryRunComparison(encoder),
            threads: ReadingThreads(
                waitingMax: configuration.http.connectionsMax,
                on: process.threads?.readerThreads
            ) { newest.value.version }
        )
    }
}
