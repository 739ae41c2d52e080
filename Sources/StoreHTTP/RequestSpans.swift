package import StoreHTTPTransport
package import StoreTraces

/// Makes the span of a finished request, by OpenTelemetry's semantic conventions for HTTP servers.
///
/// <https://opentelemetry.io/docs/specs/semconv/http/http-spans/>
///
/// Queries, headers, bodies and principals are left out, because another organization may run the
/// collector.
package struct RequestSpans: Sendable {
    private let tracer: Tracer
    /// True if spans have no client addresses.
    private let forgetsClients: Bool

    package init(_ tracer: Tracer, forgetsClients: Bool) {
        self.tracer = tracer
        self.forgetsClients = forgetsClients
    }

    /// The hooks with which the event loop samples and records requests.
    package var tracing: RequestTracing { RequestTracing(tracer, onEnd: record) }

    private func record(_ access: AccessEntry) {
        guard let span = access.span else { return }
        let served = access.requestStorage as? ServedRoute
        let route = served?.route.path.text
        let method = Self.name(ofMethod: access.method)
        let status = access.status
        var attributes: [Span.Attribute] = [
            .init("http.request.method", method ?? "_OTHER"),
            .init("url.scheme", "http"),
            .init("url.path", access.path),
        ]
        attributes += Self.serverAttributes(span.host)
        if let route { attributes.append(.init("http.route", route)) }
        if let status {
            attributes.append(.init("http.response.status_code", status))
            attributes.append(.init("http.response.body.size", access.bodyByteCount))
        }
        if let error = Self.errorType(ofStatus: status) {
            attributes.append(.init("error.type", error))
        }
        if let id = access.requestID { attributes.append(.init("store.request.id", id)) }
        if let store = served?.environment.links.storeName {
            attributes.append(.init("store.name", store))
        }
        if !forgetsClients { attributes.append(.init("client.address", access.peerHost)) }
        tracer.record(
            Span(
                span.identity,
                .server,
                [method ?? "HTTP", route].compactMap { $0 }.joined(separator: " "),
                from: span.startTime,
                to: .now,
                attributes,
                isError: status.map { $0 >= 500 } ?? false
            )
        )
    }

    /// Returns the name of a known method; `nil` for an unknown method, which could be any text.
    private static func name(ofMethod method: String?) -> String? {
        method.flatMap { RequestMethod($0).bit == 0 ? nil : $0 }
    }

    /// Returns the error of a span: a status of 500 or more, or `client_left` if there was no
    /// answer. Returns `nil` for other statuses.
    private static func errorType(ofStatus status: Int?) -> String? {
        guard let status else { return "client_left" }
        return status >= 500 ? "\(status)" : nil
    }

    private static func serverAttributes(_ host: String?) -> [Span.Attribute] {
        guard let host, !host.isEmpty else { return [] }
        // The port follows the last colon, unless that colon belongs to an IPv6 address.
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]"),
            let port = Int(host[host.index(after: colon)...])
        else { return [.init("server.address", host)] }
        return [.init("server.address", String(host[..<colon])), .init("server.port", port)]
    }
}
