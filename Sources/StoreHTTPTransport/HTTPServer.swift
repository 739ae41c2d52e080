import CStoreHTTPD
import StorePlatform
import Synchronization

/// An HTTP/1.1 server: listens, assembles requests, and hands them to a handler.
package final class HTTPServer: Sendable {
    package let counters: TransportCounters
    let loop: EventLoop
    private let ended = Latch()
    private let addresses = Locked<(clients: [ListenAddress], admin: [ListenAddress])>(([], []))
    private let startThread: @Sendable (String, @escaping @Sendable () -> Void) -> Void

    /// Makes a server that does not listen yet. `startThread` starts a thread of a name; `log` gets
    /// lines for the operator, `accessLog` what is known of each request, and `tracing` what is
    /// known of those whose traces are exported.
    ///
    /// - Throws: ``TransportError`` where the system refuses what the event loop needs.
    package init(
        configuration: TransportConfiguration,
        handler: any HTTPHandler,
        accessLog: (any AccessLog)? = nil,
        tracing: RequestTracing? = nil,
        startThread: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Void,
        log: @escaping @Sendable (String) -> Void
    ) throws(TransportError) {
        self.startThread = startThread
        counters = TransportCounters(buffersBytesMax: configuration.buffersBytesMax)
        loop = try EventLoop(
            configuration: configuration,
            handler: handler,
            counters: counters,
            accessLog: accessLog,
            tracing: tracing,
            log: log
        )
    }

    /// The version of libmicrohttpd that is loaded.
    package static var libraryVersion: String { String(cString: chttpd_version()) }

    /// The addresses as bound; a port of 0 has become the one that the system chose.
    package var boundAddresses: [ListenAddress] { addresses.withLock { $0.clients } }

    /// Those of them where operators come in, apart from clients.
    package var boundAdminAddresses: [ListenAddress] { addresses.withLock { $0.admin } }

    /// Whether streams leave the library; else they hold a suspended connection each.
    package var handsStreamsOver: Bool { loop.handsOver }

    /// Listens, and serves on a thread of its own from then on.
    package func start() throws(TransportError) {
        let bound = try loop.open().map { (address: $0.address, isAdmin: $0.isAdmin) }
        addresses.withLock {
            $0 = (
                bound.filter { !$0.isAdmin }.map(\.address), bound.filter(\.isAdmin).map(\.address)
            )
        }
        startThread("http") { [loop, ended] in
            loop.run()
            ended.open()
        }
    }

    /// From now on `handler` answers: also what has come and is not whole yet, and what the handler
    /// before it lets go of by `HTTPExchange.handleAgain()`. It looks at the headers of both first.
    /// `done` is called on the loop's thread when that is so.
    package func hand(to handler: any HTTPHandler, done: @escaping @Sendable () -> Void) {
        loop.ask { $0.successor = .init(handler: handler, done: done) }
    }

    /// Sends the answers that were completed since the last call. Any thread.
    package func wake() {
        loop.wake()
    }

    /// Runs `work` on the loop's thread after so many seconds, unless the timer is cancelled
    /// before. Any thread.
    @discardableResult
    package func schedule(
        after seconds: Double,
        _ work: @escaping @Sendable () -> Void
    ) -> LoopTimer {
        loop.schedule(after: seconds, work)
    }

    /// Stops listening, lets the requests that are open be answered, and ends the thread.
    ///
    /// Returns whether every request was answered before the time was over.
    package func stop(seconds: Double) -> Bool {
        loop.ask { $0.stop = seconds }
        _ = ended.wait()
        return loop.cutOff == 0
    }
}
