import StoreEventStream
import StorePlatform

// Notes about requests, for the access log and for exported traces.

extension EventLoop {
    /// Begins the note of a request whose line was read.
    func beginAccess(_ exchange: HTTPExchange) {
        exchange.note = AccessNote(Access(began: Self.clock()))
    }

    /// Ends the note of a request: its line is written, and its span recorded. A request that has
    /// become a stream has no note any more.
    func endAccess(_ exchange: HTTPExchange) {
        guard var access = exchange.note?.access else { return }
        exchange.note = nil
        access.fill(of: exchange)
        accessLog?.requestEnded(access)
        if access.span != nil { tracing?.ended(access) }
    }

    /// Ends the note of a request that becomes a stream. The span of the request ends here, because
    /// the reader decides how long the stream lasts. Returns the closure to call when the stream
    /// ends, which writes a line for the stream.
    func endingAccess(
        _ exchange: HTTPExchange,
        then onEnd: (@Sendable () -> Void)?
    ) -> (@Sendable () -> Void)? {
        guard var access = exchange.note?.access else { return onEnd }
        exchange.note = nil
        access.status = 200
        access.fill(of: exchange)
        if access.span != nil { tracing?.ended(access) }
        guard let accessLog else { return onEnd }
        return { [access] in
            var access = access
            access.seconds = Self.clock() - access.began
            accessLog.streamEnded(access)
            onEnd?()
        }
    }
}

extension Access {
    fileprivate mutating func fill(of exchange: HTTPExchange) {
        let path = exchange.target.prefix { $0 != UInt8(ascii: "?") }.prefix(Self.pathBytesMax)
        self.path = String(decoding: path, as: UTF8.self)
        seconds = max(0, EventLoop.clock() - began)
        peerHost = exchange.clientHost
        resource = exchange.resource
    }
}

extension HTTPExchange {
    /// Notes the answer of the request.
    func noteAnswer(status: Int, bytes: Int) {
        guard let note else { return }
        note.access.status = status
        note.access.bytes = note.access.method == RequestMethod.head.name ? 0 : bytes
    }
}
