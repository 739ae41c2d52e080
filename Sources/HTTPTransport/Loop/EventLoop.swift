import CHTTPD
import EventStream
import Glibc
import Locks
import Synchronization
import Wire

/// The thread that owns all connections that carry requests: accepts them, runs libmicrohttpd nested
/// in an epoll of its own, keeps the deadlines, and sends what others have completed.
///
/// The library never runs a thread here: its own loop stalls for good when 128 connections are ready
/// at once. Its epoll descriptor lies in ours, and `MHD_run` never waits.
final class EventLoop: @unchecked Sendable {
    // Safety: but for `finished`, `wakeDescriptor` and the counters, everything belongs to the
    // loop's thread from `run` on; before, to the thread that makes it.

    /// How many events one turn takes from epoll, and connections from a listener.
    static let eventsMax = 256
    /// How long a connection that is refused may hold its answer back.
    static let tickSeconds = 1.0

    let configuration: TransportConfiguration
    let handler: any HTTPHandler
    let streams: any StreamAdopter
    let counters: TransportCounters
    private let log: @Sendable (String) -> Void

    private let epoll: CInt
    private let wakeDescriptor: CInt
    private let finished = Locked<[HTTPExchange]>([])
    private let requests = Locked(LoopRequests())

    var daemon: OpaquePointer?
    private(set) var listeners: [Listener] = []
    private(set) var records: [ConnectionRecord] = []
    var freeExchanges: [HTTPExchange] = []
    private var timers: [LoopTimer] = []
    private var nextTick = 0.0
    /// Held back so that a process out of descriptors can still accept one to refuse it.
    private var spareDescriptor: CInt
    /// Whether a socket handed over by dup() stays usable with the library that is loaded.
    private(set) var handsOver = true
    var keptStreams: [ObjectIdentifier: HTTPExchange] = [:]
    var suspendedCount = 0
    private(set) var now = 0.0
    private(set) var isStopping = false
    /// How many connections were cut off at the deadline of a stop.
    private(set) var cutOff = 0
    private var stopDeadline = Double.infinity

    init(
        configuration: TransportConfiguration,
        handler: any HTTPHandler,
        streams: any StreamAdopter,
        counters: TransportCounters,
        log: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        self.configuration = configuration
        self.handler = handler
        self.streams = streams
        self.counters = counters
        self.log = log
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
    }
}

/// A piece of work for a later moment.
struct LoopTimer {
    let due: Double
    let work: @Sendable () -> Void
}

/// What other threads ask of the loop.
struct LoopRequests {
    var timers: [(seconds: Double, work: @Sendable () -> Void)] = []
    /// When the loop must have ended, in seconds from now.
    var stop: Double?
    /// Kept streams that have ended.
    var released: [HTTPExchange] = []
}

extension EventLoop {
    /// Listens, and starts the library. Answers the addresses as bound.
    func open() throws(TransportError) -> [ListenAddress] {
        handsOver = !configuration.keepsStreamsSuspended && HandoverTest.succeeds()
        if !handsOver {
            log("streams keep their connection: this libmicrohttpd shuts handed-over sockets down")
        }
        guard let daemon = startDaemon() else {
            throw TransportError("libmicrohttpd refuses to start")
        }
        self.daemon = daemon
        for address in configuration.addresses {
            do {
                listeners.append(try Listener(address))
            } catch {
                for listener in listeners { listener.close() }
                chttpd_stop(daemon)
                throw error
            }
        }
        for listener in listeners { watch(listener.descriptor) }
        watch(chttpd_descriptor(daemon))
        watch(wakeDescriptor)
        return listeners.map(\.address)
    }

    private func startDaemon() -> OpaquePointer? {
        var callbacks = chttpd_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            request_began: onRequestBegan,
            access: onAccess,
            request_ended: onRequestEnded,
            connection_opened: onConnectionOpened,
            connection_closed: onConnectionClosed,
            log: onLog
        )
        chttpd_set_panic(onPanic)
        // Room for the headers and the target twice, as read and as parsed, and for a piece of body.
        let bytes = 2 * (configuration.headersBytesMax + configuration.uriBytesMax) + (8 << 10)
        return chttpd_start(
            &callbacks,
            bytes,
            UInt32(clamping: configuration.connectionsMax + 16),
            UInt32(clamping: Int(max(configuration.idleSeconds, configuration.bodySeconds)) + 1)
        )
    }

    private func watch(_ descriptor: CInt) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// Runs until ``stop`` is asked for and done.
    func run() {
        guard let daemon else { return }
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsMax)
        defer { events.deallocate() }
        now = Self.clock()
        nextTick = now + tick
        while !isDone {
            let count = Int(
                epoll_wait(epoll, events, CInt(Self.eventsMax), waitMilliseconds(daemon))
            )
            now = Self.clock()
            for index in 0..<max(0, count) {
                let descriptor = events[index].data.fd
                if descriptor == wakeDescriptor {
                    var value: UInt64 = 0
                    read(wakeDescriptor, &value, 8)
                } else if let listener = listeners.first(where: { $0.descriptor == descriptor }) {
                    accept(on: listener)
                }
            }
            takeRequests()
            resumeFinished()
            chttpd_run(daemon)
            runTimers()
            if now >= nextTick { enforceDeadlines() }
        }
        end(daemon)
    }

    private var tick: Double {
        let shortest = min(
            configuration.headersSeconds,
            configuration.bodySeconds,
            configuration.idleSeconds
        )
        return min(Self.tickSeconds, max(0.01, shortest / 8))
    }

    private func waitMilliseconds(_ daemon: OpaquePointer) -> CInt {
        let library = Double(chttpd_timeout(daemon))
        var seconds = min(nextTick, timers.first?.due ?? .infinity) - now
        if records.isEmpty, timers.isEmpty, !isStopping { seconds = 60 }
        if library >= 0 { seconds = min(seconds, library / 1_000) }
        return CInt(max(0, (seconds * 1_000).rounded(.up)))
    }

    static func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension EventLoop {
    private func accept(on listener: Listener) {
        for _ in 0..<Self.eventsMax {
            var address = sockaddr_storage()
            var length = socklen_t()
            let descriptor = chttpd_accept(listener.descriptor, &address, &length)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE: refuseWithSpare(listener)
                default: break
                }
                return
            }
            counters.accepted.add(1, ordering: .relaxed)
            guard records.count < configuration.connectionsMax, let daemon else {
                refuse(descriptor, .connectionLimit(configuration.connectionsMax))
                close(descriptor)
                continue
            }
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    chttpd_add(daemon, descriptor, $0, length)
                }
            }
        }
    }

    /// Out of descriptors: gives the spare one away to accept and refuse a connection, or the
    /// listener would be ready, and the loop busy, for ever.
    private func refuseWithSpare(_ listener: Listener) {
        close(spareDescriptor)
        var address = sockaddr_storage()
        var length = socklen_t()
        let descriptor = chttpd_accept(listener.descriptor, &address, &length)
        if descriptor >= 0 {
            refuse(descriptor, .connectionLimit(records.count))
            close(descriptor)
        }
        spareDescriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    func add(_ record: ConnectionRecord) {
        record.place = records.count
        records.append(record)
    }

    func remove(_ record: ConnectionRecord) {
        guard record.place < records.count, records[record.place] === record else { return }
        records.swapAt(record.place, records.count - 1)
        records[record.place].place = record.place
        records.removeLast()
    }

    func report(_ message: String) {
        log(message)
    }

    /// Answers on a socket that the library does not know or has nothing to say on, and ends it.
    func refuse(_ descriptor: CInt, _ failure: TransportFailure) {
        counters.refused.add(1, ordering: .relaxed)
        let bytes = handler.response(for: failure).serialized(date: HTTPDate.now)
        send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        // What the client still sends is taken off, or closing would reset the connection before
        // the client has read why.
        shutdown(descriptor, CInt(SHUT_WR))
        var scratch = [UInt8](repeating: 0, count: 16 << 10)
        for _ in 0..<4 where recv(descriptor, &scratch, scratch.count, CInt(MSG_DONTWAIT)) <= 0 {
            break
        }
    }

    private func enforceDeadlines() {
        nextTick = now + tick
        dropDeserted()
        for record in records where record.deadline <= now {
            counters.timeouts.add(1, ordering: .relaxed)
            switch record.waiting {
            case .firstHeaders, .headers:
                refuse(
                    record.descriptor,
                    .timeout("the headers", seconds: Int(configuration.headersSeconds))
                )
            case .body:
                refuse(
                    record.descriptor,
                    .timeout("the body", seconds: Int(configuration.bodySeconds))
                )
            case .nextRequest, .nothing:
                break
            }
            // The library sees the end of the connection and closes it.
            shutdown(record.descriptor, CInt(SHUT_RDWR))
            record.wait(for: .nothing)
        }
    }

    /// Ends connections whose client has gone before its request was whole: the library, which waits
    /// for edges, can miss an end that came together with the last bytes.
    private func dropDeserted() {
        let waiting = records.filter { $0.waiting != .nothing }
        guard !waiting.isEmpty else { return }
        // POLLRDHUP (poll(2)), which the C library hides from Swift.
        let gone: Int16 = 0x2000
        var polled = waiting.map { pollfd(fd: $0.descriptor, events: gone, revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        for (record, found) in zip(waiting, polled) where found.revents & gone != 0 {
            shutdown(record.descriptor, CInt(SHUT_RDWR))
            record.wait(for: .nothing)
        }
    }

    private func runTimers() {
        while let timer = timers.first, timer.due <= now {
            timers.removeFirst()
            timer.work()
        }
    }
}

extension EventLoop {
    /// Queues an answer. Any thread; nothing is sent before ``wake()``.
    func finish(_ exchange: HTTPExchange, _ response: HTTPResponse) {
        exchange.outcome = .response(response)
        finished.withLock { $0.append(exchange) }
    }

    /// Ends a suspended request's connection without an answer. Any thread.
    func giveUp(_ exchange: HTTPExchange) {
        exchange.outcome = .abandoned
        finished.withLock { $0.append(exchange) }
    }

    /// Lets the loop send what was completed. Any thread.
    func wake() {
        var one: UInt64 = 1
        write(wakeDescriptor, &one, 8)
    }

    /// Asks something of the loop's thread. Any thread.
    func ask(_ change: @Sendable (inout LoopRequests) -> Void) {
        requests.withLock { change(&$0) }
        wake()
    }

    private func takeRequests() {
        let asked = requests.withLock { requests -> LoopRequests in
            defer { requests = LoopRequests() }
            return requests
        }
        for timer in asked.timers {
            let due = now + timer.seconds
            let place = timers.firstIndex { $0.due > due } ?? timers.count
            timers.insert(LoopTimer(due: due, work: timer.work), at: place)
        }
        for exchange in asked.released {
            exchange.outcome = .abandoned
            keptStreams[ObjectIdentifier(exchange)] = nil
            resume(exchange)
        }
        if let seconds = asked.stop, !isStopping {
            isStopping = true
            stopDeadline = now + seconds
            for listener in listeners {
                epoll_ctl(epoll, EPOLL_CTL_DEL, listener.descriptor, nil)
                listener.close()
            }
            listeners = []
        }
    }

    /// Hands the finished exchanges back to the library, which calls the handler for each anew.
    private func resumeFinished() {
        let done = finished.withLock { finished -> [HTTPExchange] in
            if finished.isEmpty { return [] }
            defer { finished.removeAll(keepingCapacity: false) }
            return finished
        }
        for exchange in done { resume(exchange) }
    }

    private func resume(_ exchange: HTTPExchange) {
        guard exchange.isSuspended, let connection = exchange.connection else { return }
        exchange.isSuspended = false
        suspendedCount -= 1
        chttpd_resume(connection)
    }

    /// Whether a stop is asked for and every request is answered, or the time for it is over.
    private var isDone: Bool {
        guard isStopping else { return false }
        if now >= stopDeadline { return true }
        // Whoever has not sent a whole request by now has nothing that could be finished.
        for record in records {
            switch record.waiting {
            case .nextRequest, .firstHeaders, .headers:
                shutdown(record.descriptor, CInt(SHUT_RDWR))
            case .body, .nothing:
                break
            }
        }
        return records.isEmpty
    }

    private func end(_ daemon: OpaquePointer) {
        // A suspended connection would make the library abort the process.
        let left = records.count
        for record in records {
            guard let exchange = record.exchange, exchange.isSuspended else { continue }
            exchange.outcome = .abandoned
            resume(exchange)
        }
        chttpd_run(daemon)
        chttpd_run(daemon)
        chttpd_stop(daemon)
        self.daemon = nil
        cutOff = left
    }
}
