import StorePlatform
package import StoreTraces

/// The port that gets the data of each request that is over, and of each stream that has ended. Any
/// thread may call the functions, and no function may wait.
package protocol AccessLog: Sendable {
    func writeRequestEnd(_ access: AccessEntry)
    func writeStreamEnd(_ access: AccessEntry)
}

/// The data of a request that is over, or of a stream that has ended. The data are collected only
/// if there is an access log, or if the request is a part of an exported trace.
///
/// The event loop's thread fills this value in, and hands it over as a whole.
package struct AccessEntry: Sendable {
    static let pathBytesMax = 1_000

    /// The time at which the request line was read, in seconds of the steady clock.
    let beganAt: Double
    /// The method; `nil` if no valid head was read.
    package internal(set) var method: String?
    /// The target without its query, as the client sent it, but at most 1,000 bytes.
    package internal(set) var path = ""
    /// The status of the answer; `nil` if the client left before the answer.
    package internal(set) var status: Int?
    /// The bytes of the answer's body; 0 for a stream.
    package internal(set) var bodyByteCount = 0
    /// The duration of the request or the stream, in seconds.
    package internal(set) var durationSeconds = 0.0
    /// The client's address, without its port.
    package internal(set) var peerHost = ""
    /// The object that the handler keeps for the request (``HTTPExchange/requestStorage``).
    package internal(set) nonisolated(unsafe) var requestStorage: AnyObject?

    /// The id of the request, in its problems and in the log.
    package var requestID: String?
    /// The digest of the session's secret.
    package var session: String?
    package var principal: String?
    package var role: String?
    package var traceID: String?
    /// The span of the request; `nil` if its trace is not exported.
    package internal(set) var span: RequestSpan?
}

/// A box for the data of one request. The box is not the exchange itself, because later requests
/// use the exchange again.
final class AccessNote {
    var access: AccessEntry

    init(_ access: AccessEntry) { self.access = access }
}

// Notes about requests, for the access log and for exported traces.

extension EventLoop {
    var notesRequests: Bool { accessLog != nil }

    func beginNote(_ exchange: HTTPExchange) {
        exchange.note = AccessNote(AccessEntry(beganAt: Self.currentSeconds()))
    }

    /// Ends the note of a request that is over: gives the data to the access log, and records the
    /// span. A request that has become a stream has no note any more.
    func endNote(_ exchange: HTTPExchange) {
        if let access = takeAccessEntry(of: exchange) { accessLog?.writeRequestEnd(access) }
    }

    /// Takes the data of a request that is over, and records the request's span.
    private func takeAccessEntry(of exchange: HTTPExchange) -> AccessEntry? {
        guard var access = exchange.note.take()?.access else { return nil }
        let path = exchange.target.prefix { $0 != UInt8(ascii: "?") }.prefix(
            AccessEntry.pathBytesMax
        )
        access.path = String(decoding: path, as: UTF8.self)
        access.durationSeconds = max(0, Self.currentSeconds() - access.beganAt)
        access.peerHost = exchange.clientHost
        access.requestStorage = exchange.requestStorage
        if access.span != nil { tracing?.onEnd(access) }
        return access
    }

    /// Ends the note of a request that becomes a stream. The span of the request ends here, because
    /// the reader decides how long the stream lasts. Returns the closure to call when the stream
    /// ends. The closure gives the stream's data to the access log.
    func endNoteAsStream(
        _ exchange: HTTPExchange,
        then onEnd: (@Sendable () -> Void)?
    ) -> (@Sendable () -> Void)? {
        exchange.noteAnswer(status: 200, bytes: 0)
        guard let access = takeAccessEntry(of: exchange), let accessLog else { return onEnd }
        return {
            var access = access
            access.durationSeconds = Self.currentSeconds() - access.beganAt
            accessLog.writeStreamEnd(access)
            onEnd?()
        }
    }

    /// Begins the span of a request whose headers were read, if the request's trace is exported.
    func beginSpan(_ exchange: HTTPExchange, _ tracing: RequestTracing) {
        let parent = exchange.header("traceparent").flatMap { SpanContext(traceparent: $0.utf8) }
        guard let identity = tracing.tracer.beginRequestSpan(in: parent) else { return }
        let note =
            exchange.note
            ?? AccessNote(
                AccessEntry(beganAt: Double(exchange.requestStartNanoseconds) / 1_000_000_000)
            )
        exchange.note = note
        note.access.traceID = identity.trace.text
        note.access.span = RequestSpan(
            identity: identity,
            startTime: SpanTime(steady: exchange.requestStartNanoseconds),
            host: exchange.withHost { host in
                host.map { String(decoding: $0.prefix(RequestSpan.hostBytesMax), as: UTF8.self) }
            }
        )
    }
}

/// The tracer of requests, and the closure that gets the data of traced requests.
package struct RequestTracing: Sendable {
    let tracer: Tracer
    /// Gets the data of each traced request when it is over, or when it becomes a stream.
    let onEnd: @Sendable (AccessEntry) -> Void

    package init(_ tracer: Tracer, onEnd: @escaping @Sendable (AccessEntry) -> Void) {
        self.tracer = tracer
        self.onEnd = onEnd
    }
}

/// The span of a request that is a part of an exported trace.
package struct RequestSpan: Sendable {
    package let identity: Span.Identity
    /// The start of the event loop's turn that read the request line.
    package let startTime: SpanTime
    /// At most 255 bytes of the authority that the request is for; `nil` if the request names none.
    package let host: String?

    static let hostBytesMax = 255
}

extension HTTPExchange {
    func noteAnswer(status: Int, bytes: Int) {
        guard let note else { return }
        note.access.status = status
        note.access.bodyByteCount = note.access.method == RequestMethod.head.name ? 0 : bytes
    }

    /// The span of the request; `nil` if its trace is not exported. Only the loop's thread may read
    /// this property.
    package var spanIdentity: Span.Identity? { note?.access.span?.identity }
}
