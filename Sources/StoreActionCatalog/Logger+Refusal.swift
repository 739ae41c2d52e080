package import StoreCore
package import StoreTelemetry

extension Logger {
    /// Logs the reason why a client's action or other request was refused, with the pointer to the
    /// part of the payload. The client itself may not be allowed to read either.
    ///
    /// The log leaves room for more important lines: refusals beyond their bound are dropped and
    /// counted.
    ///
    /// - Parameters:
    ///   - refusal: the refusal with its reason and pointer.
    ///   - type: the wire name, with `{id}` for an instance.
    ///   - request: the id of the request, as in the problem.
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
