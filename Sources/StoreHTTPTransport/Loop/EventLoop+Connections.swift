import CStoreHTTPD
import Glibc
import Synchronization

// The loop accepts and refuses connections, and closes connections whose deadline has passed.

extension EventLoop {
    /// The maximum number of an answer's bytes that wait in the kernel for a client. Without a
    /// bound, the kernel keeps some megabytes for each client (tcp(7), `tcp_wmem`), and control
    /// groups count this memory. Unix sockets have a bound of their own.
    private static let unsentBytesMax: CInt = 128 << 10

    func accept(on listener: Listener) {
        for _ in 0..<Self.eventsMax {
            var descriptor: CInt = -1
            let address = SocketAddress(accepting: &descriptor, from: listener.descriptor)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EAGAIN: return
                case EMFILE, ENFILE:
                    if acceptAndRefuseWithSpareDescriptor(from: listener) { return }
                default: break
                }
                pauseListening(on: listener)
                return
            }
            counters.acceptedConnections.add(1, ordering: .relaxed)
            acceptedAddress = address.address
            if let refusal = refusal(at: listener) {
                if !answerUnplaced(descriptor, refusal) { close(descriptor) }
                continue
            }
            guard let daemon else {
                close(descriptor)
                return
            }
            SocketOption.setUnsentBytesMax(of: descriptor, to: Self.unsentBytesMax)
            if listener.isAdmin { adminDescriptors.insert(descriptor) }
            _ = address.withPointer { chttpd_add(daemon, descriptor, $0, $1) }
        }
    }

    /// Returns the reason why there is no place (``ConnectionPlaces``) for a connection that this
    /// listener accepted; `nil` if there is a place. Connections of operators take no places of
    /// clients.
    private func refusal(at listener: Listener) -> TransportFailure? {
        guard listener.isAdmin else { return places.refusal(of: acceptedAddress) }
        let max = TransportConfiguration.adminConnectionsMax
        return adminConnectionCount < max ? nil : .connectionLimit(max)
    }

    /// Forgets the descriptor of the library's new connection. Returns true if the connection was
    /// accepted at an address for operators. Call this function once for each connection.
    func removeAdminDescriptor(_ descriptor: CInt) -> Bool {
        !adminDescriptors.isEmpty && adminDescriptors.remove(descriptor) != nil
    }

    /// Accepts a connection with the spare descriptor, because no other descriptor is left, and
    /// refuses the connection. Returns `false` if another thread of the process has taken the freed
    /// descriptor meanwhile.
    func acceptAndRefuseWithSpareDescriptor(from listener: Listener) -> Bool {
        close(spareDescriptor)
        var descriptor: CInt = -1
        _ = SocketAddress(accepting: &descriptor, from: listener.descriptor)
        if descriptor >= 0 {
            refuse(descriptor, .connectionLimit(loopConnections.count))
            close(descriptor)
        }
        spareDescriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor >= 0
    }

    /// Stops watching a listener for ``listenerPauseSeconds``, because its connections can be
    /// neither served nor refused. Otherwise epoll would report the listener again and again, and
    /// the loop would never sleep.
    private func pauseListening(on listener: Listener) {
        let descriptor = listener.descriptor
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        _ = schedule(after: Self.listenerPauseSeconds) { [unowned self] in
            if listeners.contains(where: { $0.descriptor == descriptor }) { watch(descriptor) }
        }
    }

    func add(_ record: LoopConnection) {
        if !record.isAdmin { places.takePlace(for: record.peer) }
        record.indexInLoop = loopConnections.count
        if record.isAdmin { adminConnectionCount += 1 }
        loopConnections.append(record)
        counters.openConnections.store(UInt64(loopConnections.count), ordering: .relaxed)
    }

    func remove(_ record: LoopConnection) {
        guard record.indexInLoop < loopConnections.count,
            loopConnections[record.indexInLoop] === record
        else {
            return
        }
        if record.isAdmin { adminConnectionCount -= 1 }
        loopConnections.swapAt(record.indexInLoop, loopConnections.count - 1)
        loopConnections[record.indexInLoop].indexInLoop = record.indexInLoop
        loopConnections.removeLast()
        counters.openConnections.store(UInt64(loopConnections.count), ordering: .relaxed)
        if !record.isAdmin { places.giveBackPlace(of: record.peer) }
    }

    func enforceDeadlines() {
        nextTick = now + tickDuration
        handleClientsThatLeft()
        closeExpiredLingering()
        refuseExpiredUnplaced()
        for record in loopConnections where record.deadline <= now {
            counters.timeouts.add(1, ordering: .relaxed)
            if record.awaitedInput != .nextRequest {
                record.exchange?.noteAnswer(status: 408, bytes: 0)
            }
            let missed: (part: String, seconds: Double)? =
                switch record.awaitedInput {
                case .firstRequest, .remainingHeaders:
                    ("the headers", configuration.headersTimeoutSeconds)
                case .body: ("the body", configuration.bodyTimeoutSeconds)
                case .nextRequest, .nothing: nil
                }
            if let missed {
                refuse(record.descriptor, .timeout(missed.part, seconds: Int(missed.seconds)))
            }
            // The library notices the end of the connection and closes the connection.
            shutdown(record.descriptor, CInt(SHUT_RDWR))
            record.setAwaitedInput(.nothing)
        }
    }

    /// Ends connections whose client has left before its request was whole. The library uses
    /// edge-triggered events (epoll(7)), and can miss an end that came together with the last
    /// bytes. Calls `onClientLeft` of each suspended or parked request whose client has left.
    func handleClientsThatLeft() {
        let waiting = loopConnections.filter {
            $0.awaitedInput != .nothing || $0.exchange?.onClientLeft != nil
        }
        guard !waiting.isEmpty else { return }
        // POLLRDHUP (poll(2)), which the C library hides from Swift.
        let gone: Int16 = 0x2000
        var polled = waiting.map { pollfd(fd: $0.descriptor, events: gone, revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        for (record, found) in zip(waiting, polled) where found.revents & gone != 0 {
            if record.awaitedInput == .nothing, let exchange = record.exchange {
                exchange.onClientLeft.take()?()
                continue
            }
            guard hasInputEnded(record.descriptor) else { continue }
            shutdown(record.descriptor, CInt(SHUT_RDWR))
            record.setAwaitedInput(.nothing)
        }
    }

    /// Returns true if the client has closed its sending side, and no byte of the client is unread.
    /// Unread bytes may be the rest of a request, which still gets an answer.
    func hasInputEnded(_ descriptor: CInt) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) == 0
    }
}
