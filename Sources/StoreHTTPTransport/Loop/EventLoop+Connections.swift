import CStoreHTTPD
import Glibc
import Synchronization

// Which connections there are: accepted, refused, and cut off when their time is over.

extension EventLoop {
    /// How much of an answer the kernel takes that it has not sent.
    private static let unsentBytesMax: CInt = 128 << 10

    func accept(on listener: Listener) {
        for _ in 0..<Self.eventsMax {
            var address = sockaddr_storage()
            var length = socklen_t()
            let descriptor = chttpd_accept(listener.descriptor, &address, &length)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EAGAIN: return
                case EMFILE, ENFILE: if refuseWithSpare(listener) { return }
                default: break
                }
                rest(listener)
                return
            }
            counters.accepted.add(1, ordering: .relaxed)
            acceptedAddress = PeerAddress(address).address
            if let refusal = refusal(at: listener) {
                if !answerUnplaced(descriptor, refusal) { close(descriptor) }
                continue
            }
            guard let daemon else {
                close(descriptor)
                return
            }
            boundUnsent(descriptor)
            if listener.isAdmin { adminDescriptors.insert(descriptor) }
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    chttpd_add(daemon, descriptor, $0, length)
                }
            }
        }
    }

    /// Bounds how much of an answer waits in the kernel for a client that does not read: else that
    /// is some megabytes for each (tcp(7), `tcp_wmem`), which a control group counts. Fails on a
    /// unix socket, which has a bound of its own.
    private func boundUnsent(_ descriptor: CInt) {
        setUnsentBound(of: descriptor, Self.unsentBytesMax)
    }

    /// Leaves the bound to the system: the writer of streams has its own.
    func unboundUnsent(_ descriptor: CInt) {
        setUnsentBound(of: descriptor, 0)
    }

    private func setUnsentBound(of descriptor: CInt, _ bytes: CInt) {
        var bytes = bytes
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, size)
    }

    /// Why a connection that was accepted there has no place; `nil` where it has one. Operators
    /// take no place of clients.
    private func refusal(at listener: Listener) -> TransportFailure? {
        guard listener.isAdmin else {
            return places.refusal(of: acceptedAddress).map { TransportFailure($0, of: places.max) }
        }
        let max = TransportConfiguration.adminConnectionsMax
        return adminCount < max ? nil : .connectionLimit(max)
    }

    /// Whether a connection that the library has been given came in where operators do. Asked once.
    func isAdmin(_ descriptor: CInt) -> Bool {
        !adminDescriptors.isEmpty && adminDescriptors.remove(descriptor) != nil
    }

    /// Accepts and refuses a connection with the spare descriptor, where there is no other left.
    /// Returns whether that worked: another thread of the process may have taken the descriptor.
    func refuseWithSpare(_ listener: Listener) -> Bool {
        close(spareDescriptor)
        var address = sockaddr_storage()
        var length = socklen_t()
        let descriptor = chttpd_accept(listener.descriptor, &address, &length)
        if descriptor >= 0 {
            refuse(descriptor, .connectionLimit(records.count))
            close(descriptor)
        }
        spareDescriptor = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor >= 0
    }

    /// Looks away from a listener that can be neither served nor refused for now: it would be
    /// ready, and the loop busy, for as long as that lasts.
    private func rest(_ listener: Listener) {
        let descriptor = listener.descriptor
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        _ = schedule(after: Self.restSeconds) { [unowned self] in
            if listeners.contains(where: { $0.descriptor == descriptor }) { watch(descriptor) }
        }
    }

    func add(_ record: ConnectionRecord) {
        if !record.isAdmin { places.take(record.peer) }
        record.place = records.count
        if record.isAdmin { adminCount += 1 }
        records.append(record)
        counters.open.store(UInt64(records.count), ordering: .relaxed)
    }

    func remove(_ record: ConnectionRecord) {
        guard record.place < records.count, records[record.place] === record else { return }
        if record.isAdmin { adminCount -= 1 }
        records.swapAt(record.place, records.count - 1)
        records[record.place].place = record.place
        records.removeLast()
        counters.open.store(UInt64(records.count), ordering: .relaxed)
        if !record.isAdmin { places.giveBack(record.peer) }
    }

    func report(_ message: String) {
        log(message)
    }

    func enforceDeadlines() {
        nextTick = now + tick
        closeAbandoned()
        closeLingering()
        refuseUnplaced()
        for record in records where record.deadline <= now {
            counters.timeouts.add(1, ordering: .relaxed)
            if record.waiting != .nextRequest { record.exchange?.noteAnswer(status: 408, bytes: 0) }
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

    /// Ends connections whose client has gone before its request was whole: the library, which
    /// waits for edges, can miss an end that came together with the last bytes. Where a request is
    /// put off and its client has gone, `onLeaving` is called.
    func closeAbandoned() {
        let waiting = records.filter { $0.waiting != .nothing || $0.exchange?.onLeaving != nil }
        guard !waiting.isEmpty else { return }
        // POLLRDHUP (poll(2)), which the C library hides from Swift.
        let gone: Int16 = 0x2000
        var polled = waiting.map { pollfd(fd: $0.descriptor, events: gone, revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        for (record, found) in zip(waiting, polled) where found.revents & gone != 0 {
            if record.waiting == .nothing, let exchange = record.exchange {
                exchange.onLeaving.take()?()
                continue
            }
            guard hasEnded(record.descriptor) else { continue }
            shutdown(record.descriptor, CInt(SHUT_RDWR))
            record.wait(for: .nothing)
        }
    }

    /// Whether the other side has closed and all that it sent is read: what is not may be the rest
    /// of a request, which is answered.
    func hasEnded(_ descriptor: CInt) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) == 0
    }
}
