import CStoreHTTPD
import Glibc

// `GET /livez` is answered even if no place is left for the connection (``ConnectionPlaces``).
// Otherwise, a supervisor would restart the server while other clients use all places.

/// A connection beyond the bound of ``ConnectionPlaces``, whose client may be about to request
/// `/livez`.
struct UnplacedSocket {
    /// The time at which the connection is refused, in the loop's seconds.
    let deadline: Double
    let refusal: TransportFailure
}

extension EventLoop {
    /// The maximum number of connections beyond the bound of ``ConnectionPlaces``. The loop waits
    /// for the first bytes of each of these connections. When a further connection beyond that
    /// bound is accepted, the loop refuses the oldest of these connections. The number of
    /// descriptors that the server needs includes these connections.
    static let unplacedSocketsMax = 32
    /// The seconds for which the loop waits for the first bytes of a connection without a place.
    static let unplacedWaitSeconds = 1.0

    /// The first bytes of the requests that are answered on a connection without a place.
    private static let livenessRequestBeginnings = ["GET /livez HTTP/1.", "HEAD /livez HTTP/1."]
        .map { Array($0.utf8) }

    /// Answers on a connection that has no place. If the first bytes have not arrived, the loop
    /// keeps the descriptor to wait for them. Returns `true` in this case.
    func answerUnplaced(_ descriptor: CInt, _ refusal: TransportFailure) -> Bool {
        guard handler.livenessResponse != nil else {
            refuse(descriptor, refusal)
            return false
        }
        if answerIfReadable(descriptor, refusal) { return false }
        if unplacedSockets.count >= Self.unplacedSocketsMax,
            let oldest = unplacedSockets.min(by: { $0.value.deadline < $1.value.deadline })
        {
            refuseUnplaced(oldest.key, oldest.value)
        }
        let deadline = now + Self.unplacedWaitSeconds
        unplacedSockets[descriptor] = UnplacedSocket(deadline: deadline, refusal: refusal)
        watch(descriptor)
        return true
    }

    func continueUnplaced(_ descriptor: CInt) {
        guard let socket = unplacedSockets[descriptor], answerIfReadable(descriptor, socket.refusal)
        else {
            return
        }
        unplacedSockets[descriptor] = nil
        unwatchAndClose(descriptor)
    }

    /// Refuses the connections without a place whose deadlines have passed. If the loop is
    /// stopping, refuses all connections without a place.
    func refuseExpiredUnplaced() {
        for (descriptor, socket) in unplacedSockets where socket.deadline <= now || isStopping {
            refuseUnplaced(descriptor, socket)
        }
    }

    private func refuseUnplaced(_ descriptor: CInt, _ socket: UnplacedSocket) {
        refuse(descriptor, socket.refusal)
        unplacedSockets[descriptor] = nil
        unwatchAndClose(descriptor)
    }

    /// Answers or refuses the request that begins with the bytes in the socket. Returns `false` if
    /// there are too few bytes for a decision.
    private func answerIfReadable(_ descriptor: CInt, _ refusal: TransportFailure) -> Bool {
        var bytes = [UInt8](
            repeating: 0,
            count: Self.livenessRequestBeginnings.map(\.count).max() ?? 0
        )
        let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_PEEK | MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return false }
        let shown = bytes.prefix(max(0, count))
        if Self.livenessRequestBeginnings.contains(where: { shown.starts(with: $0) }),
            let answer = handler.livenessResponse
        {
            reply(descriptor, answer, hasBody: shown.first == UInt8(ascii: "G"))
            discardInput(of: descriptor)
            return true
        }
        let mayBecome = Self.livenessRequestBeginnings.contains {
            $0.count > count && $0.starts(with: shown)
        }
        if count > 0, mayBecome { return false }
        refuse(descriptor, refusal)
        return true
    }
}
