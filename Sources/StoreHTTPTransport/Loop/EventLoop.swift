import CStoreHTTPD
import Glibc
import StoreEventStream
import StorePlatform
import StoreWire
import Synchronization

/// The thread that owns all connections that carry requests: accepts them, runs libmicrohttpd
/// nested in an epoll of its own, keeps the deadlines, and sends what others have completed.
///
/// The library never runs a thread here: its own loop stalls for good when 128 connections are
/// ready at once. Its epoll descriptor lies in ours, and `MHD_run` never waits.
final class EventLoop: @unchecked Sendable {
    // Safety: but for `finished`, `wakeDescriptor`, the timers' mail, the atomics and the counters,
    // everything belongs to the loop's thread from `run` on; before, to the thread that makes it.
    // What a turn or a request touches is not checked for overlapping accesses: the thread works on
    // one property at a time.

    /// How many events one turn takes from epoll, and connections from a listener.
    static let eventsMax = 256
    /// For how many finished requests memory is kept.
    static let takenMax = 4 << 10
    /// How often the library runs in one turn, at the most.
    static let runsMax = 3
    /// How often the deadlines are looked at, at least; more often where one is short.
    static let tickSeconds = 1.0
    /// How long one turn lasts at the most while there is no connection.
    static let restingSeconds = 60.0
    /// The most requests that are parked, for each turn asks all of them; others are suspended.
    static let parkedMax = 64
    /// How long a request is parked before it is suspended.
    static let parkSeconds = 0.001
    /// How long a listener is left alone when the system has nothing to accept a connection with.
    static let restSeconds = 0.1

    let configuration: TransportConfiguration
    @exclusivity(unchecked) var handler: any HTTPHandler
    /// Whether the handler is the first one: another may take over.
    @exclusivity(unchecked) var isEarly = true
    let counters: TransportCounters
    /// `nil` where nothing is noted of requests.
    let accessLog: (any AccessLog)?
    /// Whether there is one.
    let notesRequests: Bool
    /// Records the spans of requests; `nil` where no traces are exported.
    let tracing: RequestTracing?
    let log: @Sendable (String) -> Void

    let epoll: CInt
    let wakeDescriptor: CInt
    let finished = Locked(FinishedExchanges())
    /// Takes the place of what was finished, so that neither array is made anew.
    @exclusivity(unchecked) var taken: [HTTPExchange] = []
    let requests = Locked(LoopRequests())

    @exclusivity(unchecked) var daemon: OpaquePointer?
    @exclusivity(unchecked) var listeners: [Listener] = []
    /// The connections of operators that the library is being given.
    @exclusivity(unchecked) var adminDescriptors: Set<CInt> = []
    /// How many connections of operators there are.
    @exclusivity(unchecked) var adminCount = 0
    @exclusivity(unchecked) var records: [ConnectionRecord] = []
    @exclusivity(unchecked) var places: ConnectionPlaces
    @exclusivity(unchecked) var memory: MessageMemory
    @exclusivity(unchecked) var unread = UnreadAnswers()
    /// When the log may have the next line about answers that are not read.
    @exclusivity(unchecked) var nextUnreadReport = 0.0
    /// Where the connection that is being accepted comes from.
    @exclusivity(unchecked) var acceptedAddress = ClientAddress.unknown
    @exclusivity(unchecked) var freeExchanges: [HTTPExchange] = []
    @exclusivity(unchecked) var timers = TimerHeap<LoopTimer>()
    let timerMail = Locked(TimerMail())
    let hasTimerMail = Atomic(false)
    /// The bits of the moment until which the loop sleeps; 0 while it does not.
    let sleepsUntil = Atomic<UInt64>(0)
    /// The loop's own thread, from `run` on.
    let thread = Atomic<UInt>(0)
    @exclusivity(unchecked) var nextTick = 0.0
    /// Held back so that a process out of descriptors can still accept one to refuse it.
    var spareDescriptor: CInt
    /// Whether a socket handed over by dup() stays usable with the library that is loaded.
    var handsOver = true
    /// Whether requests may be parked with the library that is loaded.
    @exclusivity(unchecked) var parks = true
    /// Whether the library that is loaded shows all of a request's head by what it returns of it.
    @exclusivity(unchecked) var seesWholeHeads = true
    /// How often the library has run.
    @exclusivity(unchecked) var runCount: UInt64 = 0
    /// Sockets of clients that were refused and still send.
    var lingering: [CInt: LingeringSocket] = [:]
    /// Connections without a place that may ask for `/livez`.
    var unplaced: [CInt: UnplacedSocket] = [:]
    /// The number of them.
    var unplacedCount: UInt64 = 0
    var keptStreams: [ObjectIdentifier: HTTPExchange] = [:]
    @exclusivity(unchecked) var parkedCount = 0
    /// Where answers are written, one after another.
    @exclusivity(unchecked) var writer = HTTPAnswerWriter()
    /// Where handlers read one document after another.
    let documents = JSONWorkspace()
    /// Responses of the library that wait for the next answer.
    @exclusivity(unchecked) var reusedResponses = ReusedResponses()
    /// The fields of every answer, as the library takes them.
    let commonFields: UnsafeMutableBufferPointer<CChar>
    @exclusivity(unchecked) var now = 0.0
    /// When this turn began, in nanoseconds; ``now`` has the same in seconds.
    @exclusivity(unchecked) var turnBegan: UInt64 = 0
    /// The requests that this turn has answered.
    @exclusivity(unchecked) var answered: ContiguousArray<AnsweredRequest> = []
    /// The `Date` field of the answers of this turn.
    @exclusivity(unchecked) var date = DateField()
    @exclusivity(unchecked) var isStopping = false
    /// How many connections were cut off at the deadline of a stop.
    var cutOff = 0
    var stopDeadline = Double.infinity

    init(
        configuration: TransportConfiguration,
        handler: any HTTPHandler,
        counters: TransportCounters,
        accessLog: (any AccessLog)?,
        tracing: RequestTracing?,
        log: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        self.configuration = configuration
        self.handler = handler
        self.counters = counters
        self.accessLog = accessLog
        notesRequests = accessLog != nil
        self.tracing = tracing
        self.log = log
        commonFields = .allocate(capacity: configuration.commonFields.bytes.count)
        _ = commonFields.initialize(
            from: configuration.commonFields.bytes.map(CChar.init(bitPattern:))
        )
        reusedResponses.common = configuration.commonFields
        places = ConnectionPlaces(
            max: configuration.connectionsMax,
            perAddressMax: configuration.connectionsPerAddress,
            proxies: configuration.proxies
        )
        memory = MessageMemory(bytesMax: configuration.buffersBytesMax)
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        spareDescriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard epoll >= 0, wakeDescriptor >= 0, spareDescriptor >= 0 else {
            throw TransportError("can't make an event loop: \(SystemError.text)")
        }
    }

    deinit {
        close(epoll)
        close(wakeDescriptor)
        close(spareDescriptor)
        commonFields.deallocate()
        for descriptor in lingering.keys { close(descriptor) }
        for descriptor in unplaced.keys { close(descriptor) }
    }
}

/// What other threads ask of the loop.
struct LoopRequests {
    /// When the loop must have ended, in seconds from now.
    var stop: Double?
    /// Kept streams that have ended.
    var released: [HTTPExchange] = []
    /// The handler that takes over, and what is called when it has.
    var successor: Successor?

    struct Successor {
        let handler: any HTTPHandler
        let done: @Sendable () -> Void
    }
}

extension EventLoop {
    /// Listens, and starts the library. Returns the listeners, with the addresses as bound.
    func open() throws(TransportError) -> [Listener] {
        handsOver = !configuration.keepsStreamsSuspended && LibraryProbe.leavesDuplicatesAlone()
        parks = LibraryProbe.callsAgain()
        seesWholeHeads = LibraryProbe.showsWholeHeads()
        reusedResponses.rewritesTags = LibraryProbe.rewritesTags()
        if !handsOver {
            log("streams keep their connection: this libmicrohttpd shuts handed-over sockets down")
        }
        if !parks {
            log("every answer is waited for in suspension: this libmicrohttpd asks for it once")
        }
        if !seesWholeHeads {
            log("what is behind a NUL in a header is not seen with this libmicrohttpd")
        }
        if !LibraryProbe.leavesRefusals() {
            log("this libmicrohttpd answers malformed headers by itself, in HTML")
        }
        guard let daemon = startDaemon() else {
            throw TransportError("libmicrohttpd refuses to start")
        }
        self.daemon = daemon
        let all =
            configuration.addresses.map { ($0, false) }
            + configuration.adminAddresses.map { ($0, true) }
        for (address, isAdmin) in all {
            do {
                listeners.append(
                    try Listener(address, configuration.socketAccess, isAdmin: isAdmin)
                )
            } catch {
                for listener in listeners { listener.close() }
                chttpd_stop(daemon)
                throw error
            }
        }
        for listener in listeners { watch(listener.descriptor) }
        watch(chttpd_descriptor(daemon))
        // Each write is reported once, so nothing has to be read.
        watch(wakeDescriptor, once: true)
        return listeners
    }

    func startDaemon() -> OpaquePointer? {
        var callbacks = chttpd_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            request_began: onRequestBegan,
            access: onAccess,
            refused: onRefused,
            request_ended: onRequestEnded,
            connection_opened: onConnectionOpened,
            connection_closed: onConnectionClosed,
            log: onLog
        )
        chttpd_set_panic(onPanic)
        return chttpd_start(
            &callbacks,
            configuration.connectionBytes,
            UInt32(
                clamping: configuration.connectionsMax + 16
                    + TransportConfiguration.adminConnectionsMax
            ),
            UInt32(clamping: Int(max(configuration.idleSeconds, configuration.bodySeconds)) + 1)
        )
    }

    /// Waits for a descriptor from now on. It is reported for as long as it is ready; with `once`,
    /// once each time that it becomes ready.
    func watch(_ descriptor: CInt, once: Bool = false) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (once ? EPOLLET.rawValue : 0)
        event.data.fd = descriptor
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// Runs until ``stop`` is asked for and done.
    func run() {
        guard let daemon else { return }
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsMax)
        defer { events.deallocate() }
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        beginTurn()
        nextTick = now + tick
        while !isDone {
            let milliseconds = beginSleep(waitMilliseconds(daemon))
            let count = Int(epoll_wait(epoll, events, CInt(Self.eventsMax), milliseconds))
            endSleep()
            beginTurn()
            date.update()
            for index in 0..<max(0, count) {
                let descriptor = events[index].data.fd
                if descriptor == wakeDescriptor { continue }
                if let listener = listeners.first(where: { $0.descriptor == descriptor }) {
                    accept(on: listener)
                } else if unplaced[descriptor] != nil {
                    lookAtUnplaced(descriptor)
                } else if !lingering.isEmpty {
                    drain(descriptor)
                }
            }
            takeRequests()
            takeTimers()
            resumeFinished()
            runLibrary(daemon)
            runTimers()
            handler.turnEnded()
            observeAnswered()
            showMemory()
            if now >= nextTick { enforceDeadlines() }
        }
        thread.store(0, ordering: .relaxed)
        timers = TimerHeap()
        end(daemon)
    }

    private func beginTurn() {
        turnBegan = SystemTime.steadyNanoseconds()
        now = Double(turnBegan) / 1e9
    }

    /// Has the library run, and again at once where it reports more work: an answer that was
    /// put off takes it two runs, and a turn in between would be another system call.
    private func runLibrary(_ daemon: OpaquePointer) {
        runCount += 1
        chttpd_run(daemon)
        for _ in 1..<Self.runsMax where parkedCount == 0 && chttpd_timeout(daemon) == 0 {
            runCount += 1
            chttpd_run(daemon)
        }
    }

    var tick: Double {
        let shortest = min(
            configuration.headersSeconds,
            configuration.bodySeconds,
            configuration.idleSeconds
        )
        return min(Self.tickSeconds, max(0.01, shortest / 8))
    }

    func waitMilliseconds(_ daemon: OpaquePointer) -> CInt {
        let library = Double(chttpd_timeout(daemon))
        let isResting =
            records.isEmpty && lingering.isEmpty && unplaced.isEmpty && !isStopping
        let tick = isResting ? now + Self.restingSeconds : nextTick
        var seconds = min(tick, timers.nextDue ?? .infinity) - now
        // The library calls a parked request ready, whatever it is parked for.
        if library >= 0 {
            seconds = min(seconds, parkedCount > 0 ? Self.parkSeconds : library / 1_000)
        }
        return CInt(max(0, (seconds * 1_000).rounded(.up)))
    }

    static func clock() -> Double { SystemTime.steadySeconds() }
}
