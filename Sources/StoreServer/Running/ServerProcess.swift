import StoreActionCatalog
import StoreAdmission
import StoreAuthorization
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreMetrics
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

/// The parts that the stores of a process share: the transport, the log, analytics, the watchdog,
/// threads.
final class ServerProcess: Sendable {
    private struct Stores: Sendable {
        var served: [any RunningStore] = []
        var unavailable: [(links: Links, problem: Problem)] = []
    }

    let configuration: ServerConfiguration
    let transport: HTTPServer
    let logger: Logger
    let requestIDs: RequestIDs
    let web: WebRules
    /// The writer of analytics lines; `nil` if analytics are off.
    let analytics: AnalyticsWriter?
    /// The export of traces; `nil` if no traces are exported.
    let traces: TraceExporting?
    let watchdog = WatchdogThread()
    /// Ends streams if memory is scarce; `nil` if the memory has no bound.
    private let memory: MemoryGuard?
    /// The threads that several stores share; `nil` for a single store, which has threads of its
    /// own.
    let threads: SharedThreads?
    /// The names that a policy may use, for each store of the process.
    let policyWorlds: [PolicyWorld]
    private let stores = Locked(Stores())

    /// Makes the shared parts. Throws if analytics can't be written, or the system refuses a
    /// descriptor.
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
            storesCount > 1 ? try SharedThreads(streamsMax: configuration.streams.countMax) : nil
        analytics = try configuration.analytics.destination.writer(logger)
    }

    /// Applies the settings that SIGHUP reads again. Each setting is applied as a whole, or not at
    /// all, and no stream ends.
    func reload(_ configuration: ServerConfiguration) {
        reload("log-level") {
            let level = configuration.log.level.written
            guard logger.level != level else { return nil }
            logger.write(from: level)
            return "lines from \(level.rawValue) on are written"
        }
        // The file may have been rotated. The thread that writes it logs a failure itself.
        analytics?.reopen()
        if let traces { reload("otlp") { try traces.reload(configuration) } }
    }

    /// Applies a setting by `apply`, which returns the change, or `nil` if there is none. The log
    /// gets a line about the outcome.
    private func reload(_ subject: String, _ apply: () throws -> String?) {
        let field = LogField("subject", .name(subject))
        do {
            guard let change = try apply() else { return }
            logger.notice(.configurationReloaded, "\(subject): \(change)", field)
        } catch {
            logger.error(.configurationRefused, "\(subject) stays as it is: \(error)", field)
        }
    }

    /// True if the process has several stores, so that each needs a name.
    var hasSeveral: Bool { threads != nil }

    /// The threads, other than the Core's thread, that take a journal's lock.
    var journalThreads: WorkerThreads { threads.map { .pool($0.journals) } ?? .own() }

    /// Starts the watchdog, which looks for work that takes too long, and for scarce memory.
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

    func add(_ store: any RunningStore) {
        memory?.add(store.store.streams)
        stores.withLock { $0.served.append(store) }
        watchdog.add { [watchdog = store.health.watchdog] in watchdog.look() }
    }

    func add(unavailable links: Links, because error: any Error) {
        stores.withLock { $0.unavailable.append((links, .notStarted(because: "\(error)"))) }
    }

    /// The stores that are served. The first of them is at `/`.
    var served: [any RunningStore] { stores.withLock { $0.served } }

    var statuses: [StoreStatus] {
        let stores = stores.withLock { $0 }
        return stores.served.map(\.status)
            + stores.unavailable.map { store in
                StoreStatus(at: store.links) { NotReady(.notStarted, store.problem) }
            }
    }

    var measured: [MeasuredStore] { served.map { measured($0.store, $0.figures, $0.health) } }

    func measured(_ store: Store, _ figures: StoreFigures, _ health: StoreHealth) -> MeasuredStore {
        let name = store.links.store ?? StoreStatus.defaultName
        let label = hasSeveral ? name : nil
        return MeasuredStore(store, figures, label: label) { [journal = health.journal] in
            journal.failure != nil
        }
    }

    /// The handler of the requests when all stores have been added.
    var handler: any HTTPHandler {
        let stores = stores.withLock { $0 }
        guard let first = stores.served.first else { return unavailable(Links(), .starting()) }
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

    private func unavailable(_ links: Links, _ problem: Problem) -> UnavailableStore {
        UnavailableStore(at: links, problem, hosts: configuration.hostRule, ids: requestIDs)
    }

    /// Ends the service in the order in which the parts depend on one another.
    func stop() -> StopOutcome {
        // Reserves 2.5 s for the steps after the deadline: their minimum times, and a second for
        // the log, whose reader may be stuck.
        let deadline = Deadline(
            seconds: max(1, Double(configuration.shutdownTimeout.wholeSeconds) - 2.5)
        )
        let served = served
        for store in served { store.drain() }
        let streamsEnded = Self.each(of: served) { $0.endStreams(by: deadline) }
        let requestsEnded = transport.stop(seconds: max(0.5, deadline.left - 1))
        let unfinished = closeAll(by: deadline)
        if let unfinished { return .unfinished(unfinished) }
        return requestsEnded && !streamsEnded.contains(false) ? .clean : .clientsCutOff
    }

    /// Ends a failed start: the stores that were started, and the parts that they share except the
    /// transport.
    func abandon(seconds: Double) {
        let deadline = Deadline(seconds: seconds)
        let served = served
        for store in served { store.drain() }
        _ = Self.each(of: served) { $0.endStreams(by: deadline) }
        _ = closeAll(by: deadline)
    }

    /// Ends the stores, and then the parts that they share. Returns the name of a step that was not
    /// finished when the time was over.
    private func closeAll(by deadline: Deadline) -> String? {
        let unfinished = Self.each(of: served) { store in
            store.close(by: deadline).map { what in
                store.store.links.store.map { "\(what) (\($0))" } ?? what
            }
        }
        threads?.stop(by: deadline)
        watchdog.stop()
        analytics?.close(seconds: max(0.5, deadline.left))
        traces?.close(seconds: max(0.25, deadline.left))
        return unfinished.compactMap { $0 }.first
    }

    /// Runs `work` with all stores at once. Each store may wait for its clients, its reducer and
    /// its disk, and no store waits for another.
    private static func each<Answer: Sendable>(
        of stores: [any RunningStore],
        _ work: @escaping @Sendable (any RunningStore) -> Answer
    ) -> [Answer] {
        if stores.count == 1 { return stores.map(work) }
        let answers = stores.map { store in
            let answer = AwaitedAnswer<Answer>()
            SystemThread.start(name: "stop") { answer.give(work(store)) }
            return answer
        }
        return answers.map { $0.wait() }
    }
}

/// An answer that threads wait for. Only the first answer that is given counts.
final class AwaitedAnswer<Answer: Sendable>: Sendable {
    private let answer = Locked<Answer?>(nil)
    private let isGiven = Latch()

    func give(_ given: Answer) {
        answer.withLock { $0 = $0 ?? given }
        isGiven.open()
    }

    func wait() -> Answer {
        while true {
            _ = isGiven.wait()
            if let answer = answer.withLock({ $0 }) { return answer }
        }
    }
}
