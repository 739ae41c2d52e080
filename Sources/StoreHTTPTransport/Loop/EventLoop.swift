import CStoreHTTPD
import Glibc
import StoreJSON
import StorePlatform
import StoreWire
import Synchronization

/// The loop of the thread that owns all connections, except for the sockets of streams. Each
/// iteration of the loop is a turn. In a turn, the thread accepts connections, runs libmicrohttpd,
/// enforces the deadlines, and sends the answers that other threads have completed.
///
/// The library does not run a loop of its own, because that loop stalls for ever when 128
/// connections are ready at once. The library's epoll descriptor is registered in the epoll of this
/// loop, and `MHD_run` never waits.
final class EventLoop: @unchecked Sendable {
    // Safety: from `run` on, only the thread that leads the loop uses the properties. The
    // exceptions, which all threads may use, are `finishedExchanges`, `wakeDescriptor`, the timers'
    // mail, the atomics and the counters. The atomic `leadership` orders the turns of one leader
    // before the turns of the next leader. Before `run`, only the thread that makes the loop uses
    // the properties. A thread uses one property at a time, so the properties of a turn or a
    // request need no check for overlapping accesses.

    /// The most events that one turn takes from epoll, and the most connections that one turn
    /// accepts from a listener.
    static let eventsMax = 256
    /// The largest capacity with which an array of finished exchanges is kept for later turns.
    static let finishedCapacityMax = 4 << 10
    /// The most runs of the library in one turn.
    static let libraryRunsMax = 3
    /// The longest time between two checks of the deadlines, in seconds. The time is shorter if a
    /// configured deadline is short (``tickDuration``).
    static let tickSecondsMax = 1.0
    /// The longest wait in seconds while there is no connection.
    static let idleWaitSecondsMax = 60.0
    /// The maximum number of parked requests; further requests are suspended. In each turn, the
    /// library calls for the answers of all parked requests.
    static let parkedRequestsMax = 64
    /// The time in seconds after which a parked request is suspended.
    static let parkSeconds = 0.001
    /// The seconds for which the loop accepts no connections from a listener, after the system had
    /// no resources for a connection.
    static let listenerPauseSeconds = 0.1

    let configuration: TransportConfiguration
    @exclusivity(unchecked) var handler: any HTTPHandler
    /// True until another handler takes over from the first handler.
    @exclusivity(unchecked) var hasFirstHandler = true
    let counters: TransportCounters
    let accessLog: (any AccessLog)?
    let tracing: RequestTracing?
    let log: @Sendable (String) -> Void

    let epoll: CInt
    let wakeDescriptor: CInt
    let finishedExchanges = Locked(FinishedExchanges())
    /// The array that is swapped with the array of finished exchanges, so that no array is
    /// allocated in a turn.
    @exclusivity(unchecked) var spareFinishedExchanges: [HTTPExchange] = []
    let orders = Locked(LoopOrders())

    @exclusivity(unchecked) var daemon: OpaquePointer?
    @exclusivity(unchecked) var listeners: [Listener] = []
    /// The descriptors of operators' connections that were accepted, and that the library has not
    /// reported as opened yet.
    @exclusivity(unchecked) var adminDescriptors: Set<CInt> = []
    @exclusivity(unchecked) var adminConnectionCount = 0
    @exclusivity(unchecked) var loopConnections: [LoopConnection] = []
    @exclusivity(unchecked) var places: ConnectionPlaces
    @exclusivity(unchecked) var memory: MessageMemory
    @exclusivity(unchecked) var unreadAnswers = UnreadAnswers()
    /// The time from which the log may have the next line about unread answers.
    @exclusivity(unchecked) var nextUnreadReport = 0.0
    @exclusivity(unchecked) var acceptedAddress = ClientAddress.unknown
    @exclusivity(unchecked) var freeExchanges: [HTTPExchange] = []
    @exclusivity(unchecked) var timers = TimerHeap<LoopTimer>()
    let timerMail = Locked(TimerMail())
    let hasTimerMail = Atomic(false)
    /// The time until which the loop sleeps, as the bits of a `Double`; 0 while the loop is awake.
    let sleepEndBits = Atomic<UInt64>(0)
    /// The loop's own thread, from `run` on; 0 while the loop is lent.
    let ownThreadID = Atomic<UInt>(0)
    let leadership = LoopLeadership()
    /// The thread that does the handler's work while the loop is lent.
    let borrowerThreadID = Atomic<UInt>(0)
    /// Starts the thread that takes a lent loop over; `nil` after its start.
    @exclusivity(unchecked) var startSecondThread: (() -> Void)?
    @exclusivity(unchecked) var nextTick = 0.0
    /// A descriptor in reserve. If the process has no free descriptor, the loop closes the reserved
    /// descriptor. Then a connection can be accepted and refused.
    var spareDescriptor: CInt
    /// True if a duplicate of a socket can still be used after the loaded library has closed the
    /// connection.
    var handsStreamsOver = true
    /// True if the loaded library allows requests to be parked.
    @exclusivity(unchecked) var canParkRequests = true
    /// True if hidden bytes in the head of a request can be noticed with the loaded library.
    @exclusivity(unchecked) var canNoticeHiddenBytes = true
    @exclusivity(unchecked) var libraryRunCount: UInt64 = 0
    /// The sockets of refused clients that may still send.
    var lingeringSockets: [CInt: LingeringSocket] = [:]
    /// The connections without a place. Their clients may still request `/livez`.
    var unplacedSockets: [CInt: UnplacedSocket] = [:]
    var suspendedStreamExchanges: [ObjectIdentifier: HTTPExchange] = [:]
    @exclusivity(unchecked) var parkedCount = 0
    /// The memory in which answers are written, one after another.
    @exclusivity(unchecked) var answerWriter = HTTPAnswerWriter()
    /// The workspace in which handlers read documents, one after another.
    let workspace = JSONWorkspace()
    @exclusivity(unchecked) var reusedResponses = ReusedResponses()
    /// The fields of every answer, in the library's form.
    let commonFields: UnsafeMutableBufferPointer<CChar>
    @exclusivity(unchecked) var now = 0.0
    /// The time at which this turn began, in nanoseconds. The property ``now`` has the same time in
    /// seconds.
    @exclusivity(unchecked) var turnStartNanoseconds: UInt64 = 0
    @exclusivity(unchecked) var answeredRequests: ContiguousArray<AnsweredRequest> = []
    @exclusivity(unchecked) var date = DateField()
    @exclusivity(unchecked) var isStopping = false
    /// The number of connections that were cut off at the deadline of a stop.
    var cutOffCount = 0
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
        self.tracing = tracing
        self.log = log
        let common = configuration.commonFields
        commonFields = .allocate(capacity: common.bytes.count)
        _ = commonFields.initialize(from: common.bytes.map(CChar.init(bitPattern:)))
        reusedResponses.commonFields = common
        places = ConnectionPlaces(
            placesMax: configuration.connectionsMax,
            perAddressMax: configuration.effectiveConnectionsPerAddressMax,
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
        for descriptor in lingeringSockets.keys { close(descriptor) }
        for descriptor in unplacedSockets.keys { close(descriptor) }
    }
}

extension EventLoop {
    /// Listens, and starts the library. Returns the listeners, which have the bound addresses.
    func startListening() throws(TransportError) -> [Listener] {
        handsStreamsOver =
            !configuration.keepsStreamConnectionsSuspended && LibraryProbe.leavesDuplicatesAlone()
        canParkRequests = LibraryProbe.callsInEachRun()
        canNoticeHiddenBytes = LibraryProbe.keepsHeadsIntact()
        reusedResponses.rewritesTags = LibraryProbe.allowsTagRewrites()
        if !handsStreamsOver {
            log(
                "each stream keeps a suspended connection, because this libmicrohttpd shuts "
                    + "down sockets that are handed over"
            )
        }
        if !canParkRequests {
            log(
                "requests are suspended until they are answered, because this libmicrohttpd "
                    + "calls for an answer only once"
            )
        }
        if !canNoticeHiddenBytes {
            log(
                "this libmicrohttpd hides bytes of a header after a NUL, so the server cannot "
                    + "refuse such a header"
            )
        }
        if !LibraryProbe.leavesRefusalsToServer() {
            log("this libmicrohttpd answers malformed headers by itself, in HTML")
        }
        guard let daemon = startDaemon() else {
            throw TransportError("libmicrohttpd refuses to start")
        }
        self.daemon = daemon
        let all =
            configuration.addresses.map { ($0, false) }
            + configuration.adminAddresses.map { ($0, true) }
        do throws(TransportError) {
            for (address, isAdmin) in all {
                let listener = try Listener(address, configuration.socketAccess, isAdmin: isAdmin)
                listeners.append(listener)
            }
        } catch {
            for listener in listeners { listener.close() }
            chttpd_stop(daemon)
            throw error
        }
        for listener in listeners { watch(listener.descriptor) }
        watch(chttpd_descriptor(daemon))
        // With edge-triggered events, epoll reports each write to the descriptor once. So the
        // descriptor need not be read.
        watch(wakeDescriptor, isEdgeTriggered: true)
        return listeners
    }

    func startDaemon() -> OpaquePointer? {
        var callbacks = chttpd_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            request_began: onRequestBegan,
            access: onRequestCall,
            refused: onRefused,
            request_ended: onRequestEnded,
            connection_opened: onConnectionOpened,
            connection_closed: onConnectionClosed,
            log: onLog
        )
        chttpd_set_panic(onPanic)
        return chttpd_start(
            &callbacks,
            configuration.connectionMemoryBytes,
            UInt32(
                clamping: configuration.connectionsMax + 16
                    + TransportConfiguration.adminConnectionsMax
            ),
            UInt32(
                clamping: Int(
                    max(configuration.idleTimeoutSeconds, configuration.bodyTimeoutSeconds)
                ) + 1
            )
        )
    }

    /// Watches a descriptor from now on. Epoll reports a descriptor as long as it is ready. With
    /// `isEdgeTriggered`, epoll reports the descriptor only when it becomes ready.
    func watch(_ descriptor: CInt, isEdgeTriggered: Bool = false) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (isEdgeTriggered ? EPOLLET.rawValue : 0)
        event.data.fd = descriptor
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    func unwatchAndClose(_ descriptor: CInt) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        close(descriptor)
    }

    /// Runs turns until a stop is requested and done. Returns false if another thread has taken the
    /// loop over while the loop was lent.
    func runTurns(in term: UInt64) -> Bool {
        guard let daemon else { return true }
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsMax)
        defer { events.deallocate() }
        ownThreadID.store(UInt(pthread_self()), ordering: .relaxed)
        // After a change of threads or after the handler's work, there may be answers to send. The
        // next turn then does not wait for events. In a sequence of these turns, every second turn
        // does not ask epoll for events at all.
        var hasAnswers = term > 0
        var skipsEvents = false
        while !isStopDone {
            if !skipsEvents {
                let milliseconds = hasAnswers ? 0 : beginSleep(waitMilliseconds(daemon))
                let count = Int(epoll_wait(epoll, events, CInt(Self.eventsMax), milliseconds))
                endSleep()
                beginTurn()
                date.update()
                handleEvents(UnsafeBufferPointer(start: events, count: max(0, count)))
            }
            carryOutOrders()
            takeTimerMail()
            resumeFinished()
            runLibrary(daemon)
            runTimers()
            let work = handler.workAfterTurn()
            if let work, !lend(in: term, for: work) { return false }
            hasAnswers = work != nil
            skipsEvents = hasAnswers && !skipsEvents
            recordAnsweredRequests()
            updateMemoryCounter()
            if now >= nextTick { enforceDeadlines() }
        }
        ownThreadID.store(0, ordering: .relaxed)
        startSecondThread = nil
        timers = TimerHeap()
        stopDaemon(daemon)
        return true
    }

    /// Accepts connections, and reads the sockets that the library does not have.
    private func handleEvents(_ events: UnsafeBufferPointer<epoll_event>) {
        for event in events {
            let descriptor = event.data.fd
            if descriptor == wakeDescriptor { continue }
            if let listener = listeners.first(where: { $0.descriptor == descriptor }) {
                accept(on: listener)
            } else if unplacedSockets[descriptor] != nil {
                continueUnplaced(descriptor)
            } else if !lingeringSockets.isEmpty {
                drainLingering(descriptor)
            }
        }
    }

    func beginTurn() {
        turnStartNanoseconds = SystemTime.steadyNanoseconds()
        now = Double(turnStartNanoseconds) / 1e9
    }

    /// Runs the library, and runs it again at once if it reports more work. An answer that was put
    /// off takes two runs, and a turn between the two runs would cost a system call.
    private func runLibrary(_ daemon: OpaquePointer) {
        libraryRunCount += 1
        chttpd_run(daemon)
        for _ in 1..<Self.libraryRunsMax where parkedCount == 0 && chttpd_timeout(daemon) == 0 {
            libraryRunCount += 1
            chttpd_run(daemon)
        }
    }

    var tickDuration: Double {
        let shortest = min(
            configuration.headersTimeoutSeconds,
            configuration.bodyTimeoutSeconds,
            configuration.idleTimeoutSeconds
        )
        return min(Self.tickSecondsMax, max(0.01, shortest / 8))
    }

    func waitMilliseconds(_ daemon: OpaquePointer) -> CInt {
        let library = Double(chttpd_timeout(daemon))
        let isResting =
            loopConnections.isEmpty && lingeringSockets.isEmpty && unplacedSockets.isEmpty
            && !isStopping
        let tick = isResting ? now + Self.idleWaitSecondsMax : nextTick
        var seconds = min(tick, timers.nextDueTime ?? .infinity) - now
        // The library reports a parked request as ready, even if the answer is not complete.
        if library >= 0 {
            seconds = min(seconds, parkedCount > 0 ? Self.parkSeconds : library / 1_000)
        }
        return CInt(max(0, (seconds * 1_000).rounded(.up)))
    }

    static func currentSeconds() -> Double { SystemTime.steadySeconds() }
}
