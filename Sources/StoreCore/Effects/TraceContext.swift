import StoreTraces

/// The trace of an action (W3C Trace Context, `traceparent`). A record has the trace as the first
/// member of its meta. An exported trace names the server's own span. Any other trace stays as the
/// client's request named it.
public enum TraceContext {
    /// The trace of the current task. Within an effect, it is the trace of the effect. An HTTP
    /// client sends the trace with its requests.
    public static var parent: String? { SpanContext.current }

    /// The first bytes of a meta with a trace.
    package static let beginning = "{\"traceparent\":\""

    /// Returns the trace in an action's meta; `nil` if its first member is no trace.
    package static func parent(of meta: [UInt8]?) -> String? {
        guard let meta, meta.starts(with: beginning.utf8) else { return nil }
        let parent = meta.dropFirst(beginning.utf8.count).prefix(SpanContext.traceparentBytes)
        let rest = meta.dropFirst(beginning.utf8.count + SpanContext.traceparentBytes)
        guard rest.first == UInt8(ascii: "\""), isParent(parent) else { return nil }
        return String(decoding: parent, as: UTF8.self)
    }

    /// True if the bytes are a `traceparent` of version 00: lowercase hexadecimal digits, a trace
    /// and a span that are not zero, and flags.
    package static func isParent(_ bytes: some Collection<UInt8>) -> Bool {
        SpanContext(traceparent: bytes) != nil
    }

    /// Returns a meta with a trace, followed by the members of `meta`, a JSON object. The caller
    /// must not pass a `meta` with a trace of its own.
    package static func meta(_ parent: String, before meta: [UInt8]?) -> [UInt8] {
        let own = Array((beginning + parent + "\"").utf8)
        guard let meta, let brace = meta.firstIndex(of: UInt8(ascii: "{")) else {
            return own + [UInt8(ascii: "}")]
        }
        let rest = meta[(brace + 1)...].drop { $0 <= UInt8(ascii: " ") }
        return own + (rest.first == UInt8(ascii: "}") ? [] : [UInt8(ascii: ",")]) + rest
    }
}

extension EnvelopeMember {
    /// Returns the same action as a part of a trace. An action that has a meta stays unchanged.
    package func traced(_ parent: String?) -> EnvelopeMember {
        guard let parent, meta == nil else { return self }
        return EnvelopeMember(
            action: action,
            type: type,
            payload: payload,
            meta: TraceContext.meta(parent, before: nil),
            number: number
        )
    }
}
