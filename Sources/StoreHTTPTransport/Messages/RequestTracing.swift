package import StoreTraces

/// The tracer of requests, and the closure that gets the data of traced requests.
package struct RequestTracing: Sendable {
    let tracer: Tracer
    /// A closure that gets the data of each traced request when it is over, or when it becomes a
    /// stream.
    let ended: @Sendable (Access) -> Void

    package init(_ tracer: Tracer, ended: @escaping @Sendable (Access) -> Void) {
        self.tracer = tracer
        self.ended = ended
    }
}

/// The span of a request that is a part of an exported trace.
package struct RequestSpan: Sendable {
    package let identity: Span.Identity
    /// The start of the event loop's turn that read the request line.
    package let began: SpanTime
    /// The authority that the request is for, at most 255 bytes of it; `nil` if the request names
    /// none.
    package let host: String?

    static let hostBytesMax = 255
}

extension EventLoop {
    /// Begins the span of a request whose header is read, if its trace is exported.
    func beginSpan(_ exchange: HTTPExchange, _ tracing: RequestTracing) {
        let parent = exchange.header("traceparent").flatMap {
            SpanContext(traceparent: $0.utf8)
        }
        guard let identity = tracing.tracer.begin(in: parent) else { return }
        let note =
            exchange.note ?? AccessNote(Access(began: Double(exchange.began) / 1_000_000_000))
        exchange.note = note
        note.access.traceID = identity.trace.text
        note.access.span = RequestSpan(
            identity: identity,
            began: SpanTime(steady: exchange.began),
            host: exchange.withHost { host in
                host.map { String(decoding: $0.prefix(RequestSpan.hostBytesMax), as: UTF8.self) }
            }
        )
    }
}

extension HTTPExchange {
    /// The span of the request; `nil` if its trace is not exported. On the loop's thread.
    package var span: Span.Identity? { note?.access.span?.identity }
}
