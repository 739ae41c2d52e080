import StoreTraces

/// The trace of an action (W3C Trace Context, `traceparent`). A record has the trace as the first
/// member of its meta. If the trace is exported, the text has the server's own span. Otherwise the
/// text is the `traceparent` of the client's request.
public enum TraceContext {
    /// The trace of the current task. Within an effect, this is the trace of the effect. The HTTP
    /// client sends the trace with its requests.
    public static var traceparent: String? { SpanContext.currentTraceparent }

    /// The first bytes of a meta with a trace.
    package static let metaPrefix = "{\"traceparent\":\""

    /// Returns the trace in an action's meta; `nil` if the first member of the meta is no trace.
    package static func traceparent(in meta: [UInt8]?) -> String? {
        guard let meta, meta.starts(with: metaPrefix.utf8) else { return nil }
        let parent = meta.dropFirst(metaPrefix.utf8.count).prefix(SpanContext.traceparentBytesCount)
        let rest = meta.dropFirst(metaPrefix.utf8.count + SpanContext.traceparentBytesCount)
        guard rest.first == UInt8(ascii: "\""), isTraceparent(parent) else { return nil }
        return String(decoding: parent, as: UTF8.self)
    }

    /// True if the bytes are a `traceparent` of version 00: lowercase hexadecimal digits, a trace
    /// and a span that are not zero, and flags.
    package static func isTraceparent(_ bytes: some Collection<UInt8>) -> Bool {
        SpanContext(traceparent: bytes) != nil
    }

    /// Returns a meta that begins with a trace, followed by the members of the JSON object `meta`.
    /// The caller must not pass a `meta` that already has a trace.
    package static func meta(_ parent: String, before meta: [UInt8]?) -> [UInt8] {
        let own = Array((metaPrefix + parent + "\"").utf8)
        guard let meta, let brace = meta.firstIndex(of: UInt8(ascii: "{")) else {
            return own + [UInt8(ascii: "}")]
        }
        let rest = meta[(brace + 1)...].drop { $0 <= UInt8(ascii: " ") }
        return own + (rest.first == UInt8(ascii: "}") ? [] : [UInt8(ascii: ",")]) + rest
    }
}

extension EnvelopeMember {
    /// Returns the same action with a trace in its meta. An action that has a meta stays unchanged.
    package func withTrace(_ parent: String?) -> EnvelopeMember {
        guard let parent, meta == nil else { return self }
        return EnvelopeMember(
            action: action,
            type: type,
            payload: payload,
            meta: TraceContext.meta(parent, before: nil),
            typeIndex: typeIndex
        )
    }
}
