import StorePlatform

/// A finished span of a sampled trace: work of this server, with its beginning and its end.
package struct Span: Sendable {
    /// The ids of a span, of its trace, and of its parent span.
    package struct Identity: Sendable, Equatable {
        package let trace: TraceID
        /// The id of the span, never 0.
        package let id = UInt64.random(in: 1 ... .max)
        /// The id of the parent span, which contains this span; 0 for the first span of a trace.
        package let parentID: UInt64
        /// True if the parent span belongs to another program.
        package let isParentRemote: Bool
    }

    /// The kind of work. The raw value is the number in OTLP.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server = 2
    }

    /// A property of a span. The property's name is from OpenTelemetry's semantic conventions, or
    /// begins with `store.`.
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

    /// A moment within a span.
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
    /// The name of the span. There are few names, because a name contains no data of a single
    /// request.
    package let name: String
    package let startTime: SpanTime
    package let endTime: SpanTime
    package var attributes: [Attribute]
    package var events: [Event]
    /// True if the work failed because of a fault of the server.
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
        self.startTime = began
        self.endTime = ended
        self.attributes = attributes
        self.events = events
        self.isError = isError
    }
}

extension Span.Identity {
    /// Makes a span within the span of a context. The trace of the context must be sampled.
    package init(continuing context: SpanContext, isRemote: Bool = true) {
        self.init(trace: context.trace, parentID: context.spanID, isParentRemote: isRemote)
    }

    /// Makes the first span of a new trace.
    package static func root() -> Self {
        Self(trace: .random(), parentID: 0, isParentRemote: false)
    }

    /// Makes a span within this span.
    package func child() -> Self { Self(trace: trace, parentID: id, isParentRemote: false) }

    /// The `traceparent` for work within this span. Its flags mark the trace as sampled.
    package var traceparent: String { "00-\(trace.text)-\(id.hex)-01" }
}

/// A moment of a span, by a clock that is never set. No span therefore ends before its beginning,
/// even if the time of day is set back. The export converts the moment to a time of day.
package struct SpanTime: Sendable, Equatable {
    /// The nanoseconds of ``SystemTime/steadyNanoseconds()``.
    package let steadyNanoseconds: UInt64

    package init(steady nanoseconds: UInt64) { self.steadyNanoseconds = nanoseconds }

    package static var now: SpanTime { SpanTime(steady: SystemTime.steadyNanoseconds()) }

    /// Returns the moment in nanoseconds since 1970. `offset` is the time of day minus the steady
    /// clock, in nanoseconds.
    package func wallNanoseconds(ahead offset: Int64) -> UInt64 {
        UInt64(clamping: Int64(bitPattern: steadyNanoseconds) &+ offset)
    }

    /// The time of day minus the steady clock at this moment, in nanoseconds.
    package static var wallOffsetNanoseconds: Int64 {
        SystemTime.wallNanoseconds() &- Int64(bitPattern: SystemTime.steadyNanoseconds())
    }
}
