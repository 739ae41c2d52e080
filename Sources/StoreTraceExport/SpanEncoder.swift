import StoreJSON
package import StoreTraces

/// Writes spans as the JSON of OTLP 1. Identifiers are hexadecimal digits, numbers of 64 bits are
/// strings, and enumerations are numbers.
///
/// <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>
package struct SpanEncoder: Sendable {
    /// The name of the program that makes the spans, for `scope`.
    private static let scopeName = "store-server"
    private static let errorStatus = 2
    /// Bits of a span's `flags`: the sampled flag of `traceparent`, and two bits that OTLP adds.
    private enum Flags {
        static let sampled = 0x001
        static let hasIsRemoteMask = 0x100
        static let isRemoteMask = 0x200
    }

    private let resourceAttributes: [Span.Attribute]
    private let scopeVersion: String

    /// - Parameters:
    ///   - resourceAttributes: the attributes of all spans: the service, its version, its instance.
    ///   - scopeVersion: the version of the library that makes the spans.
    package init(resourceAttributes: [Span.Attribute], scopeVersion: String) {
        self.resourceAttributes = resourceAttributes
        self.scopeVersion = scopeVersion
    }

    /// The sender's `User-Agent` (RFC 9110 §10.1.5).
    var userAgent: String { "\(Self.scopeName)/\(scopeVersion)" }

    /// Returns the body of a request with these spans (`ExportTraceServiceRequest`).
    /// `wallOffsetNanoseconds` is the time of day minus the steady clock, in nanoseconds.
    package func body(
        _ spans: [Span],
        wallOffsetNanoseconds: Int64 = SpanTime.wallOffsetNanoseconds
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 512 * (spans.count + 1))
        json.object { json in
            json.objectArray("resourceSpans", of: [resourceAttributes]) { json, resource in
                json.key("resource")
                json.object { Self.write(resource, to: &$0) }
                json.objectArray("scopeSpans", of: [spans]) { json, spans in
                    json.key("scope")
                    json.object { json in
                        json.member("name", Self.scopeName)
                        json.member("version", scopeVersion)
                    }
                    json.objectArray("spans", of: spans) {
                        Self.write($1, wallOffsetNanoseconds, to: &$0)
                    }
                }
            }
        }
        return json.byteArray
    }

    private static func write(_ span: Span, _ offset: Int64, to json: inout JSONWriter) {
        let identity = span.identity
        json.member("traceId", identity.trace.text)
        json.member("spanId", identity.id.hex)
        if identity.parentID != 0 { json.member("parentSpanId", identity.parentID.hex) }
        json.member(
            "flags",
            Flags.sampled | Flags.hasIsRemoteMask
                | (identity.isParentRemote ? Flags.isRemoteMask : 0)
        )
        json.member("name", span.name)
        json.member("kind", span.kind.rawValue)
        json.member("startTimeUnixNano", "\(span.startTime.wallNanoseconds(ahead: offset))")
        json.member("endTimeUnixNano", "\(span.endTime.wallNanoseconds(ahead: offset))")
        write(span.attributes, to: &json)
        if !span.events.isEmpty {
            json.objectArray("events", of: span.events) { json, event in
                json.member("timeUnixNano", "\(event.time.wallNanoseconds(ahead: offset))")
                json.member("name", event.name)
            }
        }
        json.key("status")
        json.object { json in if span.isError { json.member("code", errorStatus) } }
    }

    private static func write(_ attributes: [Span.Attribute], to json: inout JSONWriter) {
        json.objectArray("attributes", of: attributes) { json, attribute in
            json.member("key", attribute.name)
            json.key("value")
            json.object { json in
                switch attribute.value {
                case .text(let text): json.member("stringValue", text)
                case .number(let number): json.member("intValue", "\(number)")
                case .flag(let flag): json.member("boolValue", flag)
                }
            }
        }
    }
}
