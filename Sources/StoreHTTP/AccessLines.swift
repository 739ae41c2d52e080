package import StoreHTTPTransport
package import StoreTelemetry

/// The access log of `--access-log`: a line in the log at the end of each request and each stream.
///
/// ```text
/// store-server: request method=GET route=/state path=/state status=200 bytes=17 ms=0.081 …
/// ```
///
/// Queries, headers and bodies are left out, because they may be secret.
package struct AccessLines: AccessLog {
    private let logger: Logger
    /// True if the lines leave out the client: its address, session, principal and role.
    private let forgetsClients: Bool

    package init(_ logger: Logger, forgetsClients: Bool) {
        self.logger = logger
        self.forgetsClients = forgetsClients
    }

    package func writeRequestEnd(_ access: AccessEntry) { write(access, .requestEnded, "request") }

    package func writeStreamEnd(_ access: AccessEntry) { write(access, .streamEnded, "stream") }

    /// Hands the line to the log's thread, which formats it. If too many lines wait already, the
    /// log drops and counts the line.
    private func write(_ access: AccessEntry, _ event: LogEvent, _ message: String) {
        let served = access.requestStorage as? ServedRoute
        let logger = served?.environment.links.storeName.map(logger.naming) ?? logger
        let route = served?.route.path.text ?? "-"
        let forgetsClients = forgetsClients
        logger.writeDetails(1, event) { _ in
            [(message, Self.fields(of: access, route, event, forgetsClients: forgetsClients))]
        }
    }

    private static func fields(
        of access: AccessEntry,
        _ route: String,
        _ event: LogEvent,
        forgetsClients: Bool
    ) -> [LogField] {
        var fields = [
            LogField("method", .name(access.method ?? "-")),
            LogField("route", .name(route)),
            LogField("path", .name(access.path)),
        ]
        fields.append(LogField("status", access.status.map { .count($0) } ?? .name("-")))
        if event != .streamEnded { fields.append(LogField("bytes", .count(access.bodyByteCount))) }
        fields.append(LogField("ms", .milliseconds(access.durationSeconds * 1_000)))
        fields.append(LogField("request", .name(access.requestID ?? "-")))
        if let trace = access.traceID { fields.append(LogField("trace", .name(trace))) }
        guard !forgetsClients else { return fields }
        fields.append(LogField("address", .name(access.peerHost)))
        if let session = access.session { fields.append(LogField("session", .name(session))) }
        if let name = access.principal { fields.append(LogField("principal", .name(name))) }
        if let role = access.role { fields.append(LogField("role", .name(role))) }
        return fields
    }
}
