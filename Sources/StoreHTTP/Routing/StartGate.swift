package import StoreAdmission
package import StoreHTTPTransport
import StorePlatform
import StoreTexts
import StoreWire
import Synchronization

/// Handles requests while the server starts: answers `/livez` with 200 and `/readyz` with 503.
/// Every other request is queued until the router takes over.
///
/// A queued request is answered with 503 if the client leaves, or after ``queuedSecondsMax``. All
/// methods except ``close()``, ``open()`` and ``enter(_:)`` are called on the event loop's thread.
package final class StartGate: HTTPHandler {
    /// The maximum number of seconds that a request is queued: the same as for any wait.
    static let queuedSecondsMax = Double(ClientWait.secondsMax)
    static let queuedRequestsMax = 1_024
    /// The maximum number of bytes in the bodies of all queued requests.
    static let queuedBytesMax = 64 << 20

    private struct Queue: Sendable {
        /// The number of the request that was queued last.
        var newestNumber: UInt64 = 0
        var requestsByNumber: [UInt64: QueuedRequest] = [:]
        var bodyByteCount = 0
        var isClosed = false
    }

    private struct QueuedRequest: Sendable {
        let exchange: HTTPExchange
        let bodyByteCount: Int
        var timer: LoopTimer?
    }

    private let hosts: HostRule
    /// True if clients need credentials. In this case, large bodies are refused during the start,
    /// because no credential is checked yet.
    private let needsCredentials: Bool
    /// True if operators have listeners of their own. In this case, only the operators' listeners
    /// answer requests about health.
    private let hasOperatorListeners: Bool
    private let queue = Locked(Queue())
    private let transport = Locked<HTTPServer?>(nil)
    private let phase = Locked(NotReadyReason.Code.starting)
    private let links = Links()
    private let ids: RequestIDs

    package init(
        _ hosts: HostRule,
        ids: RequestIDs = RequestIDs(),
        hasOperatorListeners: Bool = false,
        needsCredentials: Bool = false
    ) {
        self.needsCredentials = needsCredentials
        self.hosts = hosts
        self.hasOperatorListeners = hasOperatorListeners
        self.ids = ids
    }

    /// Stores the transport that calls this handler. Called once, before the transport starts.
    package func attach(_ server: HTTPServer) { transport.withLock { $0 = server } }

    package func admit(_ request: HTTPExchange) -> HTTPResponse? {
        guard hosts.allows(request.host) else {
            return refusal(.misdirected(host: request.host ?? ""))
        }
        guard isAboutHealth(request) else {
            return needsCredentials && request.mayHaveLargeBody ? refusal(.starting()) : nil
        }
        switch request.method {
        case .get, .head, .options:
            guard request.hasBody else { return nil }
            return refusal(.bodyNotTaken(request.methodName, request.path))
        default: return refusal(.methodNotAllowed(request.methodName, allowed: Self.healthMethods))
        }
    }

    package func handle(_ exchange: HTTPExchange) {
        guard isAboutHealth(exchange) else { return enqueue(exchange) }
        if exchange.method == .options {
            exchange.respond(.options(Self.healthMethods))
        } else if exchange.path == links.liveness {
            exchange.respond(HealthRoutes.ok)
        } else if exchange.asksForJSON {
            let phase = phase.withLock { $0 }
            exchange.respond([NotReadyReason(phase, .starting())].response)
        } else {
            exchange.respond(refusal(.starting()))
        }
    }

    package func workAfterTurn() -> (@Sendable () -> Void)? { nil }

    /// Records that the start has entered this phase. Any thread may call this function.
    package func enter(_ phase: NotReadyReason.Code) { self.phase.withLock { $0 = phase } }

    package var livenessResponse: HTTPResponse? { hasOperatorListeners ? nil : HealthRoutes.ok }

    package func response(for failure: TransportFailure) -> HTTPResponse {
        refusal(Problem(failure))
    }

    /// Hands the queued requests to the router, which has taken over. Any thread may call this
    /// function.
    package func open() {
        for exchange in takeAll() { exchange.handleAgain() }
        transport.withLock { $0 }?.wake()
    }

    /// Answers all requests with 503 from now on, because the server stops. Any thread may call
    /// this function.
    package func close() {
        queue.withLock { $0.isClosed = true }
        for exchange in takeAll() { exchange.complete(refusal(.draining())) }
        transport.withLock { $0 }?.wake()
    }

    private static let healthMethods = ["GET", "HEAD"]

    private func isAboutHealth(_ request: HTTPExchange) -> Bool {
        [links.liveness, links.readiness].contains(exactly: request.path)
            && (!hasOperatorListeners || request.isAdmin)
    }

    private func enqueue(_ exchange: HTTPExchange) {
        let bytes = exchange.withBody { $0.count }
        let id = queue.withLock { queue -> UInt64? in
            guard !queue.isClosed, queue.requestsByNumber.count < Self.queuedRequestsMax,
                queue.bodyByteCount + bytes <= Self.queuedBytesMax
            else { return nil }
            queue.newestNumber += 1
            queue.requestsByNumber[queue.newestNumber] = QueuedRequest(
                exchange: exchange,
                bodyByteCount: bytes
            )
            queue.bodyByteCount += bytes
            // Suspend the request under the lock. Otherwise, another thread could take the request
            // from the queue and complete the request before the suspension.
            exchange.suspend()
            return queue.newestNumber
        }
        guard let id else { return exchange.respond(refusal(.starting())) }
        exchange.whenClientLeaves { [self] in expire(id) }
        let timer = transport.withLock { $0 }?.schedule(after: Self.queuedSecondsMax) { [self] in
            expire(id)
        }
        let isQueued = queue.withLock { queue -> Bool in
            guard queue.requestsByNumber[id] != nil else { return false }
            queue.requestsByNumber[id]?.timer = timer
            return true
        }
        if !isQueued { timer?.cancel() }
    }

    private func expire(_ id: UInt64) {
        let request = queue.withLock { queue -> QueuedRequest? in
            guard let request = queue.requestsByNumber.removeValue(forKey: id) else { return nil }
            queue.bodyByteCount -= request.bodyByteCount
            return request
        }
        guard let request else { return }
        request.timer?.cancel()
        request.exchange.complete(refusal(.starting()))
        transport.withLock { $0 }?.wake()
    }

    /// Removes and returns the queued requests, in the order in which they came.
    private func takeAll() -> [HTTPExchange] {
        let requests = queue.withLock { queue in
            defer {
                queue.requestsByNumber = [:]
                queue.bodyByteCount = 0
            }
            return queue.requestsByNumber.sorted { $0.key < $1.key }.map(\.value)
        }
        for request in requests { request.timer?.cancel() }
        return requests.map(\.exchange)
    }

    private func refusal(_ problem: Problem) -> HTTPResponse { problem.response(for: ids.next()) }
}
