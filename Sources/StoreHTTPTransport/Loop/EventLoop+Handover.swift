import CStoreHTTPD
import Glibc
import StorePlatform
import Synchronization

// Other threads hand answers and orders to the loop's thread.

extension EventLoop {
    /// Sets the outcome of a suspended or parked request, and queues the request. Call ``wake()``
    /// afterwards. Any thread may call this function.
    func finish(_ exchange: HTTPExchange, _ outcome: HTTPExchange.Outcome) {
        exchange.outcome = outcome
        finishedExchanges.withLock { $0.add(exchange) }
    }

    /// Wakes the loop's thread, which sends the completed answers. Any thread may call this
    /// function.
    func wake() {
        if isOnBorrowerThread { return }
        var one: UInt64 = 1
        write(wakeDescriptor, &one, 8)
    }

    /// Changes the orders for the loop's thread, and wakes the thread. Any thread may call this
    /// function.
    func submit(_ change: @Sendable (inout LoopOrders) -> Void) {
        orders.withLock { change(&$0) }
        wake()
    }

    func carryOutOrders() {
        let takenOrders = orders.withLock { exchange(&$0, with: LoopOrders()) }
        for exchange in takenOrders.endedStreamExchanges {
            exchange.outcome = .abandoned
            suspendedStreamExchanges[ObjectIdentifier(exchange)] = nil
            resume(exchange)
        }
        if let successor = takenOrders.successor {
            handler = successor.handler
            hasFirstHandler = false
            successor.done()
        }
        if let seconds = takenOrders.stopSeconds, !isStopping {
            isStopping = true
            stopDeadline = now + seconds
            for listener in listeners {
                epoll_ctl(epoll, EPOLL_CTL_DEL, listener.descriptor, nil)
                listener.close()
            }
            listeners = []
        }
    }

    /// Resumes the finished exchanges. The library then calls back for each exchange's answer.
    func resumeFinished() {
        finishedExchanges.withLock { swap(&$0.exchanges, &spareFinishedExchanges) }
        for exchange in spareFinishedExchanges { resume(exchange) }
        spareFinishedExchanges.removeAll(
            keepingCapacity: spareFinishedExchanges.capacity <= Self.finishedCapacityMax
        )
    }

    func resume(_ exchange: HTTPExchange) {
        switch exchange.waitState {
        case .parked: parkedCount -= 1
        case .suspending: break
        case .suspended:
            if let connection = exchange.connection { MHD_resume_connection(connection) }
        case .none: return
        case .clientLeft: return dropStream(of: exchange)
        }
        exchange.waitState = .none
        exchange.onClientLeft = nil
    }

    /// Suspends the connection when the library next calls back about the request. The callback
    /// that delivers the request is too early. After a suspension in that callback, the library
    /// would first read more bytes when the connection is resumed. If the client has closed its
    /// sending side, the library would then close the connection without an answer.
    func suspend(_ exchange: HTTPExchange) {
        guard canParkRequests else { return suspendNow(exchange) }
        exchange.waitState = .suspending
    }

    /// Suspends the connection at once. Each resume costs the library a walk over all suspended
    /// connections.
    func suspendNow(_ exchange: HTTPExchange) {
        exchange.waitState = .suspended
        if let connection = exchange.connection { MHD_suspend_connection(connection) }
    }

    /// Parks a request: the library calls for the answer in each of its runs. The library runs only
    /// in the turns of this loop, so a parked request costs one call for each turn before the
    /// answer.
    func park(_ exchange: HTTPExchange) {
        guard canParkRequests, parkedCount < Self.parkedRequestsMax else {
            return suspend(exchange)
        }
        exchange.waitState = .parked(since: now)
        parkedCount += 1
    }

    /// Suspends a parked request if it has waited for ``parkSeconds``.
    func suspendIfParkedLong(_ exchange: HTTPExchange, since: Double) {
        guard now - since >= Self.parkSeconds else { return }
        parkedCount -= 1
        suspendNow(exchange)
    }

    /// True if a stop is requested, and either all requests are answered or the time for the stop
    /// is over. Each read during a stop also shuts down the connections that have not sent a whole
    /// request.
    var isStopDone: Bool {
        guard isStopping else { return false }
        if now >= stopDeadline { return true }
        // A client that has not sent a whole request by now gets no answer.
        for record in loopConnections
        where record.awaitedInput != .body && record.awaitedInput != .nothing {
            shutdown(record.descriptor, CInt(SHUT_RDWR))
        }
        return loopConnections.isEmpty
    }

    func stopDaemon(_ daemon: OpaquePointer) {
        // If a connection were still suspended when the library stops, the library would abort the
        // process.
        let remainingCount = loopConnections.count
        for record in loopConnections {
            guard let exchange = record.exchange else { continue }
            if case .none = exchange.waitState { continue }
            dropStream(of: exchange)
            exchange.outcome = .abandoned
            resume(exchange)
        }
        chttpd_run(daemon)
        chttpd_run(daemon)
        chttpd_stop(daemon)
        self.daemon = nil
        cutOffCount = remainingCount
        // The exchanges hold references to the loop, so the loop releases the exchanges here.
        freeExchanges = []
        spareFinishedExchanges = []
        finishedExchanges.withLock { $0.close() }
        suspendedStreamExchanges = [:]
    }
}

/// The exchanges that have an outcome, and wait for the loop's thread.
///
/// After the end of the loop, exchanges are dropped. An exchange holds a reference to the loop, so
/// a reference cycle would keep the exchange and the loop in memory for ever.
struct FinishedExchanges {
    var exchanges: [HTTPExchange] = []
    private var isOpen = true

    mutating func add(_ exchange: HTTPExchange) {
        if isOpen { exchanges.append(exchange) }
    }

    /// Drops the waiting exchanges, and all exchanges that come later.
    mutating func close() {
        isOpen = false
        exchanges = []
    }
}

/// The orders of other threads to the loop.
struct LoopOrders {
    /// The time in seconds within which the loop must end.
    var stopSeconds: Double?
    /// The exchanges of suspended connections whose streams have ended.
    var endedStreamExchanges: [HTTPExchange] = []
    /// The handler that replaces the present handler, and the closure that is called afterwards.
    var successor: (handler: any HTTPHandler, done: @Sendable () -> Void)?
}
