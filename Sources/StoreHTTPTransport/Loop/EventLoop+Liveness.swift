import CStoreHTTPD
import Glibc

// `GET /livez` for clients whose address has no place for another connection: a supervisor beside a
// client that floods must not take the server for dead.

/// A connection without a place, which may be about to ask for `/livez`.
struct UnplacedSocket {
    /// When it is refused, in the loop's seconds.
    let deadline: Double
    let refusal: TransportFailure
    /// Which one it is, of all that there were.
    let number: UInt64
}

extension EventLoop {
    /// The most connections without a place whose first bytes are awaited; beyond it the oldest is
    /// refused. The server's descriptors are reckoned with them.
    static let unplacedMax = 32
    /// For how long they are awaited.
    static let unplacedSeconds = 1.0

    /// The beginnings of the requests that are answered without a place.
    private static let beginnings = ["GET /livez HTTP/1.", "HEAD /livez HTTP/1."]
        .map { Array($0.utf8) }

    /// Answers a connection that has no place: at once if its first bytes are there, else when they
    /// come. Returns whether the loop keeps the descriptor.
    func answerUnplaced(_ descriptor: CInt, _ refusal: TransportFailure) -> Bool {
        guard handler.liveness != nil else {
            refuse(descriptor, refusal)
            return false
        }
        if answerNow(descriptor, refusal) { return false }
        if unplaced.count >= Self.unplacedMax,
            let oldest = unplaced.min(by: { $0.value.number < $1.value.number })
        {
            refuseUnplaced(oldest.key, oldest.value)
        }
        unplacedCount += 1
        unplaced[descriptor] = UnplacedSocket(
            deadline: now + Self.unplacedSeconds,
            refusal: refusal,
            number: unplacedCount
        )
        watch(descriptor)
        return true
    }

    /// Looks at a connection without a place on which something has come.
    func lookAtUnplaced(_ descriptor: CInt) {
        guard let socket = unplaced[descriptor], answerNow(descriptor, socket.refusal) else {
            return
        }
        forgetUnplaced(descriptor)
    }

    /// Refuses those whose time is over; all of them when the loop stops.
    func refuseUnplaced() {
        for (descriptor, socket) in unplaced where socket.deadline <= now || isStopping {
            refuseUnplaced(descriptor, socket)
        }
    }

    private func refuseUnplaced(_ descriptor: CInt, _ socket: UnplacedSocket) {
        refuse(descriptor, socket.refusal)
        forgetUnplaced(descriptor)
    }

    private func forgetUnplaced(_ descriptor: CInt) {
        unplaced[descriptor] = nil
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        close(descriptor)
    }

    /// Answers by the first bytes; returns `false` while there are too few to tell.
    private func answerNow(_ descriptor: CInt, _ refusal: TransportFailure) -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.beginnings.map(\.count).max() ?? 0)
        let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return false }
        let shown = bytes.prefix(max(0, count))
        if Self.beginnings.contains(where: { shown.starts(with: $0) }),
            let answer = handler.liveness
        {
            reply(descriptor, answer, hasBody: shown.first == UInt8(ascii: "G"))
            discard(descriptor)
            return true
        }
        let mayBecome = Self.beginnings.contains { $0.count > count && $0.starts(with: shown) }
        if count > 0, mayBecome { return false }
        refuse(descriptor, refusal)
        return true
    }
}
