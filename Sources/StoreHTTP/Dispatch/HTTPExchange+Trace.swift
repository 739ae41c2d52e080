import StoreCore
import StoreHTTPTransport
import StoreTraces

extension HTTPExchange {
    /// The parent for the spans that the request leads to. The value is the request's own span if
    /// its trace is exported, else the trace that the client names.
    var ownTraceparent: String? { span?.traceparent ?? traceparent }

    /// The distributed trace that the client names (W3C Trace Context). An invalid field is
    /// ignored. Most requests have no such field, and then the cost is one comparison of the
    /// lengths of their fields.
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
