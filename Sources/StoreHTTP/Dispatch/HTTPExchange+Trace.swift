import StoreCore
import StoreHTTPTransport
import StoreTraces

extension HTTPExchange {
    /// What the request leads to is a part of: its own span where its trace is exported, else the
    /// trace that the client names.
    var ownTraceparent: String? { span?.traceparent ?? traceparent }

    /// The trace that the request is a part of (W3C Trace Context). What is none is as if it were
    /// not there. Most requests name none, and pay one look at the lengths of their fields.
    var traceparent: String? {
        guard has("traceparent"), let text = header("traceparent"),
            TraceContext.isParent(text.utf8)
        else { return nil }
        if isNoted {
            let trace = text.utf8.split(separator: UInt8(ascii: "-"))[1]
            noteAccess { $0.traceID = String(trace) }
        }
        return text
    }
}
