import Dispatch
import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHistory
import StoreMetrics
import StorePatterns
import StorePublishing
import StoreTelemetry
import StoreWire

extension StoreServer {
    /// Makes the Core, which continues from the newest version of the history.
    func core(
        _ base: StoreContext<State>,
        _ published: PublishedStore<State>,
        _ supervision: StoreHealth
    ) throws -> Core<State> {
        let (history, world, keeper) = (base.history, base.world, published.keeper)
        var ports = CoreConfiguration<State>()
        ports.driver = base.process.threads.map { .pool($0.cores) } ?? .thread
        ports.mailboxMax = base.configuration.mailboxMax
        if let test = world.test { ports.clock = test.clock.timeOfDay }
        ports.journal = history.journal
        ports.version = history.version
        ports.program = history.program
        ports.reader = RecordReader(history.replay.forms)
        ports.keyClock = base.journal.keyClock
        ports.sink = published.publisher
        if let commands = published.commands { ports.commands = commands.send }
        ports.failed = supervision.journal.failed
        ports.progress = supervision.progress
        ports.figures = supervision.figures.core
        ports.hasSights = base.access != nil
        ports.tracing = base.process.traces?.tracing(
            of: base.links.store,
            epoch: history.epoch.description
        )
        ports.follower = StoreFollower(keeper, base.lines, world.logger)
        ports.member = { [registry = base.registry, encoder = base.encoder] action in
            try registry.member(of: action, encoder)
        }
        if let simulated = world.simulated {
            ports.clock = simulated.clock
            ports.failed = simulated.failed
            ports.follower = simulated.follower(keeper.appended(through:bytes:))
        }
        let core = try composition.core(
            history.state,
            ports,
            in: world,
            touching: published.touched,
            haveSameBytes: base.haveSameBytes,
            measuring: supervision.figures.effects
        )
        supervision.journal.onFailure { [weak core] in core?.effects?.stop() }
        if let test = world.test {
            test.clock.resting { [weak core] in await core?.rest(of: test.executor) ?? true }
        }
        if let views = published.views { composition.showState(of: core, to: views) }
        return core
    }

    /// Attaches the observers of the Core's actions and states besides the publisher: analytics,
    /// middleware, interceptors and observers.
    func attachments(to core: Core<State>, _ base: StoreContext<State>) -> CoreAttachments {
        let attachments = CoreAttachments()
        let builtIn = analytics(base).map { [(Analytics<State>.id, $0.observe)] } ?? []
        for (id, observe) in builtIn + middleware {
            attachments.add(.middleware, id, ending: core.add(middleware: observe))
        }
        for (id, intercept) in interceptors {
            attachments.add(.interceptor, id, ending: core.add(interceptor: intercept))
        }
        for observer in observers {
            attachments.addObserver(
                on: observer.queue?.label,
                ending: core.observe(on: observer.queue, with: observer.receive)
            )
        }
        return attachments
    }
    /// Returns the middleware for analytics; `nil` if no analytics event is written or kept.
    private func analytics(_ base: StoreContext<State>) -> Analytics<State>? {
        guard base.process.analytics != nil || base.recentAnalytics != nil else { return nil }
        return Analytics(
            registry: base.registry,
            writer: base.process.analytics,
            recent: base.recentAnalytics,
            encoder: CloudEventEncoder(
                source: base.configuration.analyticsSource,
                epoch: base.history.epoch,
                encoder: base.encoder
            )
        )
    }
}

/// The middleware that writes analytics; a program could add it as well
/// (``StoreServer/middleware(_:_:)``). The middleware reads the state before each action, and
/// releases an event when the action is committed.
struct Analytics<State: Sendable>: Sendable {
    /// The name in `GET /debug/middleware`.
    static var id: String { "analytics" }

    let registry: ActionRegistry<State>
    /// The writer of the lines; `nil` if none are written.
    let writer: AnalyticsWriter?
    /// The last events, for `GET /analytics`; `nil` if none are kept.
    let recent: RecentAnalytics?
    let encoder: CloudEventEncoder

    /// Makes the event of an action. The Core calls this before it reduces the action, and the
    /// returned closure after the commit.
    @Sendable
    func observe(
        _ state: State,
        _ action: any Action,
        _ envelope: ActionEnvelope
    ) -> (@Sendable () -> Void)? {
        let event = AnalyticsEvent(
            version: envelope.version,
            time: envelope.time,
            type: action.kind(of: envelope.type),
            subject: registry[envelope.type]?.subject,
            record: registry.record(of: action, of: envelope.session, before: state),
            traceparent: TraceContext.parent(of: envelope.meta)
        )
        return { [writer, recent, encoder] in
            recent?.add(event, encoder)
            writer?.offer(event, encoder)
        }
    }
}
