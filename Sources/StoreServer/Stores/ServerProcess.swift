import StoreActionCatalog
import StoreAuthorization
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

/// What the stores of a process share: the transport, the log, analytics, the watchdog, threads.
final class ServerProcess: Sendable {
    private struct Stores: Sendable {
        /// That at `/` first.
        var served: [any ServedStore] = []
        /// Those that could not be started.
        var unavailable: [(links: Links, problem: Problem)] = []
    }

    let configuration: ServerConfiguration
    let transport: HTTPServer
    let logger: Logger
    /// Names the requests of all stores.
    let requestIDs: RequestIDs
    /// What holds for the web around all stores.
    let web: WebRules
    /// Where analytics lines go; `nil` where they are off.
    let analytics: AnalyticsWriter?
    /// Where traces go; `nil` where none are exported.
    let traces: TraceExporting?
    let watchdog = WatchdogThread()
    /// Ends streams where memory is scarce; `nil` where there is no bound.
    private let memory: MemoryGuard?
    /// What several stores share; a store that is alone has threads of its own.
    let threads: SharedThreads?
    /// The names of all stores, against which policies are checked.
    let policyWorlds: [PolicyWorld]
    private let stores = Locked(Stores())
    /// What is read again on SIGHUP, in the order in which it was added.
    private let reloadables = Locked<[any Reloadable]>([])

    /// - Throws: `ConfigurationError` where analytics can't be written, `TransportError` where the
    ///   system refuses a descriptor.
    init(
        _ configuration: ServerConfiguration,
        on transport: HTTPServer,
        _ logger: Logger,
        _ requestIDs: RequestIDs = RequestIDs(),
        traces: TraceExporting? = nil,
        storesCount: Int = 1,
        policyWorlds: [PolicyWorld] = [],
        clock: any WallClock = SteadyClock()
    ) throws {
        self.configuration = configuration
        self.transport = transport
        self.logger = logger
        self.requestIDs = requestIDs
        self.policyWorlds = policyWorlds
        self.traces = traces
        web = configuration.webRules(clock)
        memory = MemoryUse(bytesMax: configuration.memoryBytesMax).map { MemoryGuard($0, logger) }
        threads =
            storesCount > 1 ? try SharedThreads(streamsMax: configuration.streamsMax) : nil
        analytics = try configuration.analytics.writer(logger)
        add(ReloadedLogLevel(logger: logger))
        if let analytics { add(ReloadedAnalytics(writer: analytics)) }
        if let traces { add(traces) }
    }

    /// Has something read again on SIGHUP.
    func add(_ reloadable: any Reloadable) {
        reloadables.withLock { $0.append(reloadable) }
    }

    /// Reads again what may change, one after the other.
    func reload(_ configuration: ServerConfiguration) {
        for reloadable in reloadables.withLock({ $0 }) { reloadable.reload(configuration, logger) }
    }

    /// Whether there are several stores, so that each has to be named.
    var hasSeveral: Bool { threads != nil }

    /// Which threads take a journal's lock, besides the Core.
    var journalThreads: WorkerThreads { threads.map { .pool($0.journals) } ?? .own() }

    /// Begins to look at what may take too long, or too much memory.
    func startWatchdog() {
        if let threads { watchdog.add(threads.relieve) }
        if let memory { watchdog.addFast(memory.look) }
        watchdog.add(FreedMemory().look)
        let steps = ClockSteps { [weak self] in
            for store in self?.served ?? [] { store.endForbidden() }
        }
        watchdog.add(steps.look)
        let counters = transport.counters
        watchdog.add(FreedBuffers { counters.buffersBytes.load(ordering: .relaxed) }.look)
        watchdog.start()
    }

    /// Adds a store that is ready.
    func add(_ store: any ServedStore) {
        memory?.add(store.store.streams)
        stores.withLock { $0.served.append(store) }
        watchdog.add { [watchdog = store.supervision.watchdog] in watchdog.look() }
    }

    /// Adds one that could not be started.
    func add(unavailable links: Links, because error: any Error) {
        stores.withLock { $0.unavailable.append((links, .notStarted(because: "\(error)"))) }
    }

    /// The stores that are served, that at `/` first.
    var served: [any ServedStore] { stores.withLock { $0.served } }

    /// All stores, as the process shows them.
    var statuses: [StoreStatus] {
        let stores = stores.withLock { $0 }
        return stores.served.map(\.status)
            + stores.unavailable.map { store in
                StoreStatus(at: store.links) { NotReady(.notStarted, store.problem) }
            }
    }

    /// What is measured of all stores.
    var measured: [MeasuredStore] { served.map { measured($0.store, $0.supervision) } }

    /// What is measured of one.
    func measured(_ store: Store, _ supervision: Supervision) -> MeasuredStore {
        let name = store.links.store ?? StoreStatus.defaultName
        let label = hasSeveral ? name : nil
        return MeasuredStore(store, supervision.figures, label: label) {
            [journal = supervision.journal] in journal.failure != nil
        }
    }

    /// What answers the requests when all stores have been added.
    var handler: any HTTPHandler {
        let stores = stores.withLock { $0 }
        guard let first = stores.served.first else {
            return unavailable(Links(), .starting())
        }
        guard hasSeveral else { return first.router }
        return StoresRouter(
            first.router,
            stores.served.dropFirst().map { ($0.status.name, $0.router) }
                + stores.unavailable.map { store in
                    (
                        store.links.store ?? StoreStatus.defaultName,
                        unavailable(store.links, store.problem)
                    )
                }
        )
    }
}

extension ServerProcess {
    private func unavailable(_ links: Links, _ problem: Problem) -> UnavailableStore {
        UnavailableStore(at: links, problem, hosts: configuration.hostRule, ids: requestIDs)
    }

    /// Ends the service in the order in which the parts depend on one another.
    func stop() -> StopOutcome {
        // The last two and a half are for what has time of its own behind it: the least that each
        // step gets, and a second for the last lines of the log, where no program takes them.
        let deadline = Deadline(seconds: max(1, Double(configuration.shutdownSeconds) - 2.5))
        let served = served
        for store in served { store.drain() }
        let streamsEnded = Self.each(of: served) { $0.endStreams(by: deadline) }
        let requestsEnded = transport.stop(seconds: max(0.5, deadline.left - 1))
        let unfinished = finish(by: deadline)
        if let unfinished { return .unfinished(unfinished) }
        return requestsEnded && !streamsEnded.contains(false) ? .clean : .clientsCutOff
    }

    /// Ends a start that has failed: the stores that were started, and what they share, but for the
    /// transport.
    func abandon(seconds: Double) {
        let deadline = Deadline(seconds: seconds)
        let served = served
        for store in served { store.drain() }
        _ = Self.each(of: served) { $0.endStreams(by: deadline) }
        _ = finish(by: deadline)
    }

    /// Ends the stores, and then what they share. Answers what had not come to its end when the
    /// time was over.
    private func finish(by deadline: Deadline) -> String? {
        let unfinished = Self.each(of: served) { store in
            store.finish(by: deadline).map { what in
                store.store.links.store.map { "\(what) (\($0))" } ?? what
            }
        }
        threads?.stop(by: deadline)
        watchdog.stop()
        analytics?.close(seconds: max(0.5, deadline.left))
        traces?.close(seconds: max(0.25, deadline.left))
        return unfinished.compactMap { $0 }.first
    }

    /// Does something with all stores at once: each may wait for its clients, its reducer and its
    /// disk, and none for those of another.
    private static func each<Answer: Sendable>(
        of stores: [any ServedStore],
        _ work: @escaping @Sendable (any ServedStore) -> Answer
    ) -> [Answer] {
        if stores.count == 1 { return stores.map(work) }
        let answers = stores.map { store in
            let answer = AwaitedAnswer<Answer>()
            SystemThread.start(name: "stop") { answer.make { work(store) } }
            return answer
        }
        return answers.compactMap { $0.wait() }
    }
}

/// What another thread answers.
private final class AwaitedAnswer<Answer: Sendable>: Sendable {
    private let answer = Locked<Answer?>(nil)
    private let isMade = Latch()

    func make(_ make: () -> Answer) {
        let made = make()
        answer.withLock { $0 = made }
        isMade.open()
    }

    func wait() -> Answer? {
        _ = isMade.wait()
        return answer.withLock { $0 }
    }
}
