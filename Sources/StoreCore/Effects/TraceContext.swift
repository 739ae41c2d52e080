import StoreTraces

/// The trace that an action is a part of (W3C Trace Context, `traceparent`). It is a member of the
/// record's meta, the first one. Where no traces are exported, or this one is not sampled, it is
/// handed on as the client's request named it; else it names the server's own span.
public enum TraceContext {
    /// The trace for which the task works that asks: within an effect, that of the action that the
    /// effect follows. An HTTP client hands it on.
    @TaskLocal public static var parent: String?

    /// What a meta with a trace begins with.
    package static let beginning = "{\"traceparent\":\""

    /// The trace of an action's meta; `nil` where it has none, or another member first.
    package static func parent(of meta: [UInt8]?) -> String? {
        guard let meta, meta.starts(with: beginning.utf8) else { return nil }
        let parent = meta.dropFirst(beginning.utf8.count).prefix(SpanContext.traceparentBytes)
        let rest = meta.dropFirst(beginning.utf8.count + SpanContext.traceparentBytes)
        guard rest.first == UInt8(ascii: "\""), isParent(parent) else { return nil }
        return String(decoding: parent, as: UTF8.self)
    }

    /// Whether bytes are a `traceparent` of version 00: hexadecimal digits in small letters, a
    /// trace and a span that are not zero, and flags.
    package static func isParent(_ bytes: some Collection<UInt8>) -> Bool {
        SpanContext(traceparent: bytes) != nil
    }

    /// A meta with a trace: of an action that has a meta, a JSON object, with its members behind
    /// it. One that names a trace itself stays as it is.
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
    /// The same action as a part of a trace; as it is where it has a meta already.
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
