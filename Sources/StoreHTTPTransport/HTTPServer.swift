import CStoreHTTPD
import StorePlatform
import Synchronization

/// An HTTP/1.1 server that listens, assembles requests, and hands the requests to a handler.
package final class HTTPServer: Sendable {
    package let counters: TransportCounters
    let loop: EventLoop
    private let endLatch = Latch()
    private let addresses = Locked<[(address: ListenAddress, isAdmin: Bool)]>([])
    private let startThread: @Sendable (String, @escaping @Sendable () -> Void) -> Void

    /// Makes a server that does not listen yet. `startThread` starts a thread with a given name,
    /// and `log` takes lines for the operator.
    ///
    /// - Throws: ``TransportError`` if the system refuses a resource of the event loop.
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

    package static var libraryVersion: String { String(cString: MHD_get_version()) }

    /// The bound addresses for clients. A port of 0 is replaced by the port that the system chose.
    package var boundAddresses: [ListenAddress] { listeningAddresses(isAdmin: false) }

    /// The bound addresses for operators.
    package var boundAdminAddresses: [ListenAddress] { listeningAddresses(isAdmin: true) }

    private func listeningAddresses(isAdmin: Bool) -> [ListenAddress] {
        addresses.withLock { $0.filter { $0.isAdmin == isAdmin }.map(\.address) }
    }

    /// True if the sockets of streams are taken out of libmicrohttpd. If false, each stream holds a
    /// suspended connection of the library.
    package var handsStreamsOver: Bool { loop.handsStreamsOver }

    /// Listens, and starts the thread that serves requests.
    package func start() throws(TransportError) {
        let bound = try loop.startListening().map { ($0.address, $0.isAdmin) }
        addresses.withLock { $0 = bound }
        let startThread = startThread
        startThread("http") { [loop, endLatch] in
            loop.run(startThread: { startThread("http", $0) }, ended: endLatch.open)
        }
    }

    /// Replaces the handler. The new handler also admits and answers the requests that are not
    /// whole yet, or that the old handler releases by `HTTPExchange.handleAgain()`. The loop's
    /// thread calls `done` after the replacement.
    package func replaceHandler(with handler: any HTTPHandler, done: @escaping @Sendable () -> Void)
    {
        loop.submit { $0.successor = (handler, done) }
    }

    /// Wakes the loop's thread, which sends the completed answers. Any thread may call this
    /// function.
    package func wake() { loop.wake() }

    /// Runs `work` on the loop's thread after `seconds`, unless the timer is cancelled first. Any
    /// thread may call this function.
    @discardableResult
    package func schedule(
        after seconds: Double,
        _ work: @escaping @Sendable () -> Void
    ) -> LoopTimer {
        loop.schedule(after: seconds, work)
    }

    /// Stops listening, answers the open requests, and ends the thread.
    ///
    /// - Returns: true if every request was answered within `seconds`.
    package func stop(withinSeconds: Double) -> Bool {
        loop.submit { $0.stopSeconds = withinSeconds }
        _ = endLatch.wait()
        return loop.cutOffCount == 0
    }
}

/// The port through which the event loop hands requests to the program. The loop's thread makes
/// every call, so no function may wait. Only the work that ``workAfterTurn()`` returns may wait.
package protocol HTTPHandler: AnyObject, Sendable {
    /// Decides about a request whose headers are complete, before its body is read. Returns `nil`
    /// if the request may go on, else the response that is sent at once.
    func admit(_ request: HTTPExchange) -> HTTPResponse?

    /// Answers a request whose body is complete: calls `respond`, `suspend`, `park` or `stream`
    /// once.
    func handle(_ exchange: HTTPExchange)

    /// Returns the work that the loop's thread does after a turn, before the thread waits for
    /// events; `nil` if there is no work. If the work takes long, another thread takes the loop
    /// over.
    func workAfterTurn() -> (@Sendable () -> Void)?

    /// The answer to `GET /livez` on a connection above the maximum number of connections. If the
    /// value is `nil`, the loop refuses the connection without reading the request.
    var livenessResponse: HTTPResponse? { get }

    /// Returns the response with which the transport itself refuses a request.
    func response(for failure: TransportFailure) -> HTTPResponse
}

extension HTTPHandler {
    package var livenessResponse: HTTPResponse? { nil }
}
