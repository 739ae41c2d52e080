import StoreEventStream
import StorePlatform

// What is noted of requests, where there is an access log, or of those whose traces are exported.

extension EventLoop {
    /// A request line has been read.
    func beginAccess(_ exchange: HTTPExchange) {
        exchange.note = AccessNote(Access(began: Self.clock()))
    }

    /// A request is over: its line is written, unless it has become a stream, and its span
    /// recorded.
    func endAccess(_ exchange: HTTPExchange) {
        guard var access = exchange.note?.access else { return }
        exchange.note = nil
        access.fill(of: exchange)
        accessLog?.requestEnded(access)
        if access.span != nil { tracing?.ended(access) }
    }

    /// What is to be done when a stream has ended, which the request becomes now: it gets a line
    /// then, and none as a request. Its span ends here: how long a stream lasts is for its reader
    /// to say.
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
    /// What the request is answered with.
    func noteAnswer(status: Int, bytes: Int) {
        guard let note else { return }
        note.access.status = status
        note.access.bytes = note.access.method == RequestMethod.head.name ? 0 : bytes
    }
}
