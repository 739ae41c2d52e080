/// A part of a sampled trace that has ended: some work of this server's, and how long it took.
package struct Span: Sendable {
    /// Which span it is, and within which.
    package struct Identity: Sendable, Equatable {
        package let trace: TraceID
        /// Its own name, never 0.
        package let id: UInt64
        /// The span that it is a part of; 0 for the first of a trace.
        package let parent: UInt64
        /// Whether that is another program's.
        package let isParentRemote: Bool

        /// Goes on with a trace that another program has begun; it is sampled.
        package init(continuing context: SpanContext, isRemote: Bool = true) {
            trace = context.trace
            id = .random(in: 1 ... .max)
            parent = context.span
            isParentRemote = isRemote
        }

        private init(trace: TraceID, parent: UInt64) {
            self.trace = trace
            id = .random(in: 1 ... .max)
            self.parent = parent
            isParentRemote = false
        }

        /// The first span of a new trace.
        package static func root() -> Identity { Identity(trace: .random(), parent: 0) }

        /// A span within this one.
        package func child() -> Identity { Identity(trace: trace, parent: id) }

        /// What those who work for this span are given: the trace is sampled.
        package var traceparent: String { "00-\(trace.text)-\(id.hex)-01" }
    }

    /// What kind of work it is, by OTLP's number.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server = 2
    }

    /// A property. Its name is of OpenTelemetry's semantic conventions, or begins with `store.`.
    package struct Attribute: Sendable, Equatable {
        package enum Value: Sendable, Equatable {
            case text(String)
            case number(Int64)
            case flag(Bool)
        }

        package let name: String
        package let value: Value

        package init(_ name: String, _ text: String) {
            self.name = name
            value = .text(text)
        }

        package init(_ name: String, _ number: some BinaryInteger) {
            self.name = name
            value = .number(Int64(clamping: number))
        }

        package init(_ name: String, isTrue flag: Bool) {
            self.name = name
            value = .flag(flag)
        }
    }

    /// A moment within it.
    package struct Event: Sendable, Equatable {
        package let name: String
        package let time: SpanTime

        package init(_ name: String, at time: SpanTime) {
            self.name = name
            self.time = time
        }
    }

    package let identity: Identity
    package let kind: Kind
    /// One of few names, without anything that differs from request to request.
    package let name: String
    package let began: SpanTime
    package let ended: SpanTime
    package var attributes: [Attribute]
    package var events: [Event]
    /// Whether it failed, and the server is at fault.
    package var isError: Bool

    package init(
        _ identity: Identity,
        _ kind: Kind,
        _ name: String,
        from began: SpanTime,
        to ended: SpanTime,
        _ attributes: [Attribute],
        events: [Event] = [],
        isError: Bool = false
    ) {
        self.identity = identity
        self.kind = kind
        self.name = name
        self.began = began
        self.ended = ended
        self.attributes = attributes
        self.events = events
        self.isError = isError
    }
}
