import ActionCatalog
import ControlledWorld
import Dispatch
import EventStream
import HTTPTransport
import StatePublishing
import StoreCore
import StoreHTTP
import StoreHistory
import Telemetry
import Wire

extension StoreServer {
    /// The parts of a server, put together.
    struct Parts: Sendable {
        let store: Store
        let times: ServerTimes
        let core: Core<State>
        let publisher: Publisher<State>
        let log: ActionLog
        let waiters: LongPolls
        let router: Router
        let transport: HTTPServer
        let keeper: SnapshotKeeper
        let closeJournal: @Sendable () -> Void
        let journal: JournalCondition
        let watchdog: Watchdog
        /// Goes on with the effects that had not ended when the server did.
        let resume: @Sendable () -> Void
    }

    /// Makes the parts behind a transport that listens already; none of them runs yet.
    func assemble(
        _ configuration: ServerConfiguration,
        at links: Links = Links(),
        in process: ServerProcess,
        _ world: World,
        whenJournalFails decision: JournalFailureDecision? = nil
    ) throws -> Parts {
        let logger = world.logger
        let registry = try ActionRegistry<State>(actions, modules?.actions() ?? [])
        let lines = try ActionLines(configuration, registry, logger)
        let touched = TouchedModules()
        let encoder = JSONEncoder()
        let replay = OpeningReplay(of: program, registry)
        let opened =
            try world.simulated.map { OpenJournal($0.journal) }
            ?? givenJournal.map { try OpenJournal($0) }
            ?? OpenJournal(configuration, follower: replay, logger)
        let history = try History(
            of: program,
            in: opened.journal,
            registry: registry,
            encoder: encoder,
            beginningWith: stateFile(configuration),
            replayed: replay.made,
            logger: logger
        )
        let epoch = history.epoch

        let streams = try StreamWriter(
            limits: configuration.streamLimits,
            frames: .tagged(epoch: epoch),
            places: process.threads?.places
        )
        let log = ActionLog(
            journal: history.journal,
            epoch: epoch,
            version: history.version,
            logger: logger,
            on: process.journalThreads
        ) { [weak streams] in
            streams?.logMoved()
        }
        streams.follow(log)
        let waiters = LongPolls()
        let sender = PartSender(streams: streams, epoch: epoch)
        let viewStreams = modules.map { ViewStreams<State>($0.views, sender, encoder) }
        let documents = ParsedDocuments()
        let publisher = try Publisher(
            epoch: epoch,
            version: history.version,
            state: history.state,
            writer: modules?.writer(encoder, touched) ?? WholeStateWriter(encoder),
            sliceStreams: modules.map { SliceStreams($0.names, sender) },
            parts: PartStreams(modules: modules?.names, sender, documents),
            documents: documents,
            viewStreams: viewStreams,
            streams: streams,
            waiters: waiters,
            log: log,
            on: process.threads?.readers
        )
        let keeper = SnapshotKeeper(
            journal: history.journal,
            form: history.replay.form,
            savedVersion: history.journal.newestSnapshot ?? 0,
            recordsMax: configuration.snapshotBounds.records,
            bytesMax: configuration.snapshotBounds.bytes,
            logger: logger,
            on: process.journalThreads,
            newest: { publisher.snapshot }
        )
        let times = ServerTimes()
        let progress = Progress { times.reducing.add($1, to: $0) }
        let watchdog = Watchdog(
            progress,
            slowSeconds: configuration.slowActionSeconds,
            stuckSeconds: configuration.stuckActionSeconds,
            logger
        )
        let condition = JournalCondition(logger, decision)
        let core = try core(
            from: history,
            world: world,
            driver: process.threads.map { .pool($0.cores) } ?? .thread,
            keyClock: opened.keyClock,
            mailboxMax: configuration.mailboxMax,
            publisher: publisher,
            keeper: keeper,
            progress: progress,
            condition: condition,
            times: times,
            touched: touched,
            lines: lines,
            encoder: encoder,
            member: { try registry.member(of: $0, encoder) }
        )
        condition.onFailure { [weak core] in core?.effects?.stop() }
        if let test = world.test {
            test.clock.resting { [weak core] in await core?.rest(of: test.executor) ?? true }
        }
        let analytics = process.analytics.map { writer in
            Analytics(
                registry: registry,
                writer: writer,
                encoder: CloudEventEncoder(
                    source: configuration.analyticsSource,
                    epoch: epoch,
                    encoder: encoder
                )
            )
        }
        let attachments = attachments(to: core, analytics)
        if let modules {
            publisher.look { [weak core] look in
                if let core { modules.look(core, look) }
            }
        }
        let newest = publisher.newest
        let reader = StateReader(
            of: log,
            newest: newest,
            past: TimeTravel(history.replay, epoch: epoch, encoder: encoder),
            documents: documents,
            views: viewStreams,
            streams: publisher,
            waiters: waiters,
            comparison: StateDifference.comparison(of: State.self, modules?.patch, encoder),
            threads: ReadingThreads(
                waitingMax: configuration.connectionsMax,
                on: process.threads?.readers
            ) {
                newest.value.version
            }
        )
        let store = Store(
            at: links,
            bounds: configuration.requestBounds,
            actions: registry.table,
            core: core.handle,
            reader: reader,
            streams: streams,
            encoder: encoder,
            sessions: modules?.sessions(history.state).map {
                configuration.sessionTable(of: $0)
            },
            presence: modules.map { [handle = core.handle] modules in
                ViewPresence(
                    modules.slices.map(\.visibility),
                    isStarted: { reader.state(for: .anonymous).isStarted($0) },
                    dispatch: { action, sessions, origin throws(MailboxError) in
                        try handle.offerOwn(action, from: sessions, origin: origin)
                    }
                )
            }
        )
        let router = router(
            for: store,
            configuration,
            attachments,
            watchdog,
            condition,
            times,
            process,
            world.test
        )
        store.attach(process.transport)
        publisher.wake { [weak transport = process.transport] in transport?.wake() }
        return Parts(
            store: store,
            times: times,
            core: core,
            publisher: publisher,
            log: log,
            waiters: waiters,
            router: router,
            transport: process.transport,
            keeper: keeper,
            closeJournal: opened.close,
            journal: condition,
            watchdog: watchdog,
            resume: { [modules, state = history.state, migrations] in
                let past = PastActions(history.journal, registry.table, migrations)
                modules?.resume(core, state, logger, past.action(of:))
            }
        )
    }

    /// The Core, going on from where history is.
    private func core(
        from history: History<State>,
        world: World,
        driver: EnginePorts.Driver,
        keyClock: SteadyClock,
        mailboxMax: Int,
        publisher: Publisher<State>,
        keeper: SnapshotKeeper,
        progress: Progress,
        condition: JournalCondition,
        times: ServerTimes,
        touched: TouchedModules,
        lines: ActionLines<State>?,
        encoder: JSONEncoder,
        member: @escaping @Sendable (any Action) throws -> EnvelopeMember
    ) throws -> Core<State> {
        let logger = world.logger
        var ports = CoreConfiguration<State>()
        ports.driver = driver
        ports.mailboxMax = mailboxMax
        if let test = world.test { ports.clock = test.clock.timeOfDay }
        ports.journal = history.journal
        ports.version = history.version
        ports.action = history.action
        ports.keyClock = keyClock
        ports.sink = publisher
        ports.failed = condition.failed
        ports.progress = progress
        ports.follower = StoreFollower(keeper, lines, logger)
        ports.member = member
        if let simulated = world.simulated {
            ports.clock = simulated.clock
            ports.failed = simulated.failed
            ports.follower = simulated.follower(keeper.appended(through:bytes:))
        }
        let haveSameBytes: ByteComparison = { a, b in
            guard let a = try? encoder.encodeShared(Whole(a)),
                let b = try? encoder.encodeShared(Whole(b))
            else { return false }
            return a == b
        }
        if let modules {
            ports.touched = [touched]
            ports.comparison = haveSameBytes
            return try modules.core(history.state, world, ports) {
                times.effects.add($1, to: $0)
            }
        }
        ports.changed = { $0 != $1 || !haveSameBytes($0, $1) }
        return Core(
            state: history.state,
            form: .throwing { [reducer] in try reducer(&$0, $1, 0) },
            configuration: ports
        )
    }

    /// What sees the Core's actions and states besides the publisher.
    private func attachments(
        to core: Core<State>,
        _ analytics: Analytics<State>?
    ) -> CoreAttachments {
        let attachments = CoreAttachments()
        if let analytics {
            let ending = core.add(middleware: analytics.observe)
            attachments.add(.middleware, "analytics", ending: ending)
        }
        for observer in observers {
            attachments.addObserver(
                on: observer.queue?.label,
                ending: core.observe(on: observer.queue, with: observer.receive)
            )
        }
        return attachments
    }
}
