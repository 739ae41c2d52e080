package import StoreCore
package import StoreTelemetry

extension Logger {
    /// Writes why a client's action, or another request of it, was refused, and where in its
    /// payload. The client may not be allowed to read either.
    ///
    /// Refusals leave room for lines that matter more: beyond that they are lost, and counted.
    ///
    /// - Parameters:
    ///   - refusal: the reason, and the pointer.
    ///   - type: the wire name, with `{id}` for an instance.
    ///   - request: the id of the request, as the problem has it.
    package func note(_ refusal: Refusal, of type: String, in request: String) {
        details(1, .actionRefused) { _ in
            let reason = refusal.failure.map { "\($0)" } ?? refusal.reason
            var fields = [
                LogField("type", .name(type)), LogField("request", .name(request)),
                LogField("reason", .text(reason)),
            ]
            if let pointer = refusal.pointer { fields.append(LogField("pointer", .name(pointer))) }
            return [("refused", fields)]
        }
    }
}
