import CStoreHTTPD
import Glibc
import StorePlatform
package import StoreWire
import Synchronization

extension EventLoop {
    /// Hands a connection's socket to a stream writer.
    ///
    /// The writer gets a duplicate of the socket's descriptor, and the library closes its own
    /// descriptor. Some versions of the library would also shut the socket down. With these
    /// versions, the connection stays suspended until the stream ends.
    func handOver(
        _ exchange: HTTPExchange,
        _ beginning: StreamBeginning,
        to adopter: any StreamAdopter
    ) {
        guard let connection = exchange.connection else {
            // The request of a test has no socket. The test takes the beginning from the outcome.
            exchange.outcome = .stream(beginning, to: adopter)
            return
        }
        let descriptor = fcntl(chttpd_socket(connection), F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else {
            adopter.giveBackPlace(beginning.topic)
            beginning.owner.onEnd?()
            exchange.outcome = .response(
                handler.response(for: .connectionLimit(loopConnections.count))
            )
            return
        }
        // The stream writer sets its own bound on unsent bytes.
        SocketOption.setUnsentBytesMax(of: descriptor, to: 0)
        let onEnd = endNoteAsStream(exchange, then: beginning.owner.onEnd)
        noteAnswered(exchange, status: 200)
        if handsStreamsOver {
            exchange.outcome = .handedOver
            adopter.adopt(descriptor: descriptor, beginning, onEnd: onEnd)
        } else {
            exchange.suspend()
            exchange.outcome = .suspendedForGood
            suspendedStreamExchanges[ObjectIdentifier(exchange)] = exchange
            adopter.adopt(descriptor: descriptor, beginning) { [weak self] in
                onEnd?()
                self?.submit { $0.endedStreamExchanges.append(exchange) }
            }
        }
    }

    /// Gives back the place of a stream whose connection has ended before the stream began.
    func dropStream(of exchange: HTTPExchange) {
        guard case .stream(let beginning, let adopter) = exchange.outcome else { return }
        exchange.outcome = .abandoned
        adopter.giveBackPlace(beginning.topic)
        beginning.owner.onEnd?()
    }
}

/// The port through which the event loop hands over the sockets of streams.
package protocol StreamAdopter: AnyObject, Sendable {
    /// Takes over a socket, for which a place is reserved, and closes it when the stream ends. Then
    /// calls `onEnd` once, on any thread.
    func adopt(descriptor: CInt, _ beginning: StreamBeginning, onEnd: (@Sendable () -> Void)?)

    /// Gives back a place that was reserved for a stream that did not begin.
    func giveBackPlace(_ topic: TopicID)
}
