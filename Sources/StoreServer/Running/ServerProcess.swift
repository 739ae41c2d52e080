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
    /// The export of the process's traces; `nil` if no traces are exported.
    let traceExport: TraceExport?
    let watchdog = WatchdogThread()
    /// The guard that ends streams if memory is scarce; `nil` if memory has no bound.
    private let memoryGuard: MemoryGuard?
    /// The threads that several stores share; `nil` for a single store, which has threads of its
    /// own.
    let threads: SharedThreads?
    /// The names that a policy may use, with an element for each store of the process.
    let policyVocabularies: [PolicyVocabulary]
    private let stores = Locked(Stores())

    /// Makes the parts that the stores share. Throws if analytics can't be written, or if the
    /// system refuses a descriptor.
    init(
        _ configuration: ServerConfiguration,
        on transport: HTTPServer,
        _ logger: Logger,
        _ requestIDs: RequestIDs = RequestIDs(),
        traces: TraceExport? = nil,
        storesCount: Int = 1,
        policyVocabularies: [PolicyVocabulary] = [],
        clock: any WallClock = SteadyClock()
    ) throws {
        self.configuration = configuration
        self.transport = transport
        self.logger = logger
        self.requestIDs = requestIDs
        self.policyVocabularies = policyVocabularies
        self.traceExport = traces
        web = configuration.makeWebRules(clock)
        memoryGuard = MemoryUse(bytesMax: configuration.memoryBytesMax).map {
            MemoryGuard($0, logger)
        }
        threads =
            storesCount > 1 ? try SharedThreads(streamsMax: configuration.streams.countMax) : nil
        analytics = try configuration.analytics.destination.openWriter(logger)
    }

    /// Applies the settings that SIGHUP reads again. Each setting is applied as a whole, or not at
    /// all, and no stream ends.
    func reload(_ configuration: ServerConfiguration) {
        reloadSetting("log-level") {
            let level = configuration.log.level.logLevel
            guard logger.level != level else { return nil }
            logger.setLevel(level)
            return "lines of level \(level.rawValue) and above are written"
        }
        // The file of analytics may have been rotated. The writer of analytics logs a failure to
        // reopen the file.
        analytics?.reopen()
        if let traceExport { reloadSetting("otlp") { try traceExport.reload(configuration) } }
    }

    /// Calls `apply`, which applies a setting and returns a description of the change, or `nil` if
    /// nothing changes. Logs the change or the error.
    private func reloadSetting(_ subject: String, _ apply: () throws -> String?) {
        let field = LogField("subject", .name(subject))
        do {
            guard let change = try apply() else { return }
            logger.info(.configurationReloaded, "\(subject): \(change)", field)
        } catch {
            logger.error(.configurationRefused, "\(subject) stays as it is: \(error)", field)
        }
    }

    /// True if the process has several stores.
    var hasSeveralStores: Bool { threads != nil }

    /// The threads that use the journals for snapshots and for reads of the log.
    var journalThreads: WorkerThreads { threads.map { .pool($0.journalThreads) } ?? .own() }

    /// Starts the thread of the watchdog with the checks that all stores share.
    func startWatchdog() {
        if let threads { watchdog.add(threads.startMissingThreads) }
        if let memoryGuard { watchdog.setFastCheck(memoryGuard.check) }
        watchdog.add(MemoryTrimmer().giveBackIfDue)
        let steps = ClockStepDetector { [weak self] in
            for store in self?.servedStores ?? [] { store.endForbiddenStreams() }
        }
        watchdog.add(steps.check)
        let counters = transport.counters
        watchdog.add(
            BufferTrimmer { counters.buffersBytes.load(ordering: .relaxed) }.giveBackIfFreed
        )
        watchdog.start()
    }

    func add(_ store: any RunningStore) {
        memoryGuard?.add(store.store.streamWriter)
        stores.withLock { $0.served.append(store) }
        watchdog.add { [watchdog = store.health.watchdog] in watchdog.check() }
    }

    func add(unavailable links: Links, because error: any Error) {
        stores.withLock { $0.unavailable.append((links, .notStarted(because: "\(error)"))) }
    }

    /// The running stores. The first of them is at `/`.
    var servedStores: [any RunningStore] { stores.withLock { $0.served } }

    var statuses: [StoreStatus] {
        let stores = stores.withLock { $0 }
        return stores.served.map(\.status)
            + stores.unavailable.map { store in
                StoreStatus(at: store.links) { NotReadyReason(.notStarted, store.problem) }
            }
    }

    var measuredStores: [MeasuredStore] {
        servedStores.map { measuredStore($0.store, $0.figures, $0.health) }
    }

    func measuredStore(_ store: Store, _ figures: StoreFigures, _ health: StoreHealth)
        -> MeasuredStore
    {
        let name = store.links.storeName ?? StoreStatus.defaultName
        let label = hasSeveralStores ? name : nil
        return MeasuredStore(store, figures, label: label) { [journal = health.journalCondition] in
            journal.failure != nil
        }
    }

    /// The handler of all requests, made from the stores that have been added.
    var handler: any HTTPHandler {
        let stores = stores.withLock { $0 }
        guard let first = stores.served.first else { return unavailableStore(Links(), .starting()) }
        guard hasSeveralStores else { return first.router }
        return StoresRouter(
            rootStore: first.router,
            namedStores: stores.served.dropFirst().map { ($0.status.name, $0.router) }
                + stores.unavailable.map { store in
                    (
                        store.links.storeName ?? StoreStatus.defaultName,
                        unavailableStore(store.links, store.problem)
                    )
                }
        )
    }

    private func unavailableStore(_ links: Links, _ problem: Problem) -> UnavailableStore {
        UnavailableStore(at: links, problem, hosts: configuration.hostRule, ids: requestIDs)
    }

    /// Stops the stores, and then the parts that they share. A part stops after all parts that
    /// depend on it.
    func stop() -> StopOutcome {
        // The deadline is 2.5 s before the end of the timeout. The steps after the deadline take
        // some time in any case, and the log, whose reader may hang, takes up to a second.
        let deadline = Deadline(
            seconds: max(1, Double(configuration.shutdownTimeout.wholeSeconds) - 2.5)
        )
        let served = servedStores
        for store in served { store.drain() }
        let streamsEnded = Self.concurrentMap(served) { $0.endStreams(by: deadline) }
        let requestsEnded = transport.stop(withinSeconds: max(0.5, deadline.secondsLeft - 1))
        let unfinished = closeAll(by: deadline)
        if let unfinished { return .unfinished(unfinished) }
        return requestsEnded && !streamsEnded.contains(false) ? .clean : .clientsCutOff
    }

    /// Ends a failed start: stops the started stores, and the shared parts except the transport.
    func abandonStart(seconds: Double) {
        let deadline = Deadline(seconds: seconds)
        let served = servedStores
        for store in served { store.drain() }
        _ = Self.concurrentMap(served) { $0.endStreams(by: deadline) }
        _ = closeAll(by: deadline)
    }

    /// Closes the stores, and then the shared parts. Returns the name of a step that was not
    /// finished at the deadline; `nil` if all steps were finished.
    private func closeAll(by deadline: Deadline) -> String? {
        let unfinished = Self.concurrentMap(servedStores) { store in
            store.close(by: deadline).map { what in
                store.store.links.storeName.map { "\(what) (\($0))" } ?? what
            }
        }
        threads?.stop(by: deadline)
        watchdog.stop()
        analytics?.close(seconds: max(0.5, deadline.secondsLeft))
        traceExport?.close(seconds: max(0.25, deadline.secondsLeft))
        return unfinished.compactMap { $0 }.first
    }

    /// Calls `work` for all stores at the same time, on a thread for each store. So a call that
    /// waits for clients, a reducer or a disk delays no other store.
    private static func concurrentMap<Answer: Sendable>(
        _ stores: [any RunningStore],
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

/// An answer of one thread to other threads, which wait for it. Only the first given answer counts.
final class AwaitedAnswer<Answer: Sendable>: Sendable {
    private let answer = Locked<Answer?>(nil)
    private let givenLatch = Latch()

    func give(_ given: Answer) {
        answer.withLock { $0 = $0 ?? given }
        givenLatch.open()
    }

    func wait() -> Answer {
        while true {
            _ = givenLatch.wait()
            if let answer = answer.withLock({ $0 }) { return answer }
        }
    }
}
