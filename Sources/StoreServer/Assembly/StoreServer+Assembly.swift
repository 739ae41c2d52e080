import Glibc
import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StoreJSONSchema
import StoreMetrics
import StorePatterns
import StorePlatform
import StorePublishing

extension StoreServer {
    /// Puts a store together, behind a transport that listens already. Nothing of the store runs
    /// yet.
    ///
    /// The base comes first, then the published parts, the Core, the reader and the routes.
    func assemble(
        _ configuration: ServerConfiguration,
        at links: Links = Links(),
        in process: ServerProcess,
        _ world: World,
        whenJournalFails decision: JournalFailureDecision? = nil
    ) throws -> AssembledStore<State> {
        let base = try StoreContext(self, configuration, at: links, in: process, world)
        let firstActions = try firstActions(base)
        let published = try PublishedStore(base, composition)
        let supervision = StoreHealth(
            configuration,
            figures(base, published),
            world.logger,
            whenJournalFails: decision
        )
        let core = try core(base, published, supervision)
        let attachments = attachments(to: core, base)
        let reader = published.reader(base, composition)
        let store = Store(
            at: links,
            bounds: configuration.requestBounds,
            actions: base.registry.table,
            core: core.engine,
            reader: reader,
            streams: published.streams,
            encoder: base.encoder,
            logger: base.world.logger,
            sessions: composition.sessions(of: base.history.state).map {
                configuration.sessionTable(of: $0)
            },
            sessionStarts: composition.sessionStarts,
            presence: composition.modules.map { presence(of: $0, core) }
        )
        store.attach(process.transport)
        return AssembledStore(
            store: store,
            core: core,
            base: base,
            published: published,
            supervision: supervision,
            router: router(for: store, base, attachments, supervision),
            sharedFiles: keepValues(of: core, base),
            firstActions: firstActions
        )
    }

    /// Makes the figures of a store: a row for each type of action, and for each request that the
    /// log may contain besides actions.
    private func figures(
        _ base: StoreContext<State>,
        _ published: PublishedStore<State>
    ) -> StoreFigures {
        let useCases = composition.useCases.map {
            ClientRequest.name(ofUseCase: $0.path, instance: $0.hasInstances ? "{id}" : nil)
        }
        let notifications = Set(reactions.compactMap { NotificationReaction($0)?.name }).sorted()
        return StoreFigures(
            CoreFigures(
                types: base.registry.entries.map(\.form.name),
                requests: useCases + notifications.map { ClientRequest(notification: $0).name }
            ),
            of: base.history.journal,
            published.keeper,
            encoding: published.encodeTimes,
            programJournal == nil ? base.configuration.usedRetention : nil,
            access: base.access?.control
        )
    }

    /// Returns the first actions of a store without a history, one for each file with a value.
    ///
    /// - Throws: ``ConfigurationError`` if a file can't be used, or the action that the program
    ///   makes is not an action of the store.
    private func firstActions(
        _ base: StoreContext<State>
    ) throws -> [(action: any Action, place: String)] {
        guard base.history.version == 0 else { return [] }
        return try keptValues.compactMap { value in
            guard let action = try value.first() else { return nil }
            do {
                _ = try base.registry.member(of: action, base.encoder)
            } catch {
                throw ConfigurationError(
                    "the store can't begin with the value in '\(value.file.path)': \(error)"
                )
            }
            return (action, value.place)
        }
    }

    /// Writes shared values to their files from now on. The first value is written only if the
    /// store has a history, or the file does not exist. Else the file may contain a value that the
    /// store has never had.
    private func keepValues(of core: Core<State>, _ base: StoreContext<State>) -> [SharedFileWriter]
    {
        keptValues.map { value in
            let writer = SharedFileWriter(
                value.file.path,
                of: value.module,
                on: base.process.journalThreads,
                base.encoder,
                base.world.logger
            )
            let isFirst = base.history.version > 0 || access(value.file.path, F_OK) != 0
            value.attach(core, writer, isFirst)
            return writer
        }
    }

    /// Returns the presence of views: the clients that show each module.
    private func presence(
        of modules: [SliceDescription],
        _ core: Core<State>
    ) -> ViewPresence {
        let presence = ViewPresence(modules) {
            [engine = core.engine] action, session, origin throws(MailboxError) in
            try engine.offerProgramAction(action, from: session, origin: origin)
        }
        for module in presence.watched {
            composition.watchSlices(of: module, in: core) { [weak presence] key, isThere in
                presence?.slice(of: module, key, isThere: isThere)
            }
        }
        return presence
    }

    /// Ends the views that were open when the previous server ended; their clients have to open
    /// them again.
    func endViews(of store: AssembledStore<State>) {
        for (action, session) in composition.endsOfViews(in: store.base.history.state) {
            let source = ActionSource(place: ViewPresence.place, session: session)
            store.core.engine.dispatchProgramAction(action, from: source)
        }
    }

    /// Resumes the effects that had not ended when the previous server did.
    func resumeEffects(of store: AssembledStore<State>) {
        let base = store.base
        let past = PastActions(base.history.journal, base.history.replay.forms)
        composition.resume(
            store.core,
            base.history.state,
            base.world.logger,
            past: past.action(of:)
        )
    }
}
