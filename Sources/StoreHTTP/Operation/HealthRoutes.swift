import StoreHTTPTransport
import StoreWire

/// `GET /livez` reports if the process works, and `GET /readyz` if the server takes requests.
/// Supervisors and load balancers use these routes. Each route answers 200 with `ok`, or a problem.
/// If the client asks for JSON, `/readyz` answers with the reasons as JSON.
struct HealthRoutes: RouteGroup {
    let links: Links
    /// Returns a failure that a restart of the process would mend; `nil` if there is no failure.
    /// Called for each request.
    let livenessProblem: @Sendable () -> Problem?
    /// Returns the reasons why the server takes no requests. Called for each request.
    let readiness: @Sendable () -> Readiness

    /// The two routes. Both routes also answer while the server stops and refuses other requests.
    var routes: [Route] {
        [
            .reading(
                links.liveness,
                "Liveness",
                "200 if the process works.",
                needs: .everyone,
                answers: [.text("text/plain", "The process works.")],
                audience: .operators,
                isServedDuringDrain: true
            ) { request throws(Problem) in
                if let problem = livenessProblem() { throw problem }
                request.respond(Self.ok)
            },
            .reading(
                links.readiness,
                "Readiness",
                "200 if the server takes requests, else 503. With Accept: application/json, the "
                    + "answer has the reasons.",
                needs: .everyone,
                answers: [
                    .init(
                        200,
                        "The server takes requests.",
                        bodies: [.init("text/plain"), .json([NotReadyReason].schema)]
                    ),
                    .init(
                        503,
                        "The server takes no requests.",
                        bodies: [.json([NotReadyReason].schema)]
                    ),
                ],
                problems: [.draining],
                audience: .operators,
                isServedDuringDrain: true,
                handle: showReadiness
            ),
        ]
    }

    private func showReadiness(_ request: RequestContext) throws(Problem) {
        let readiness = readiness()
        guard !request.exchange.asksForJSON else {
            return request.respond(readiness.reasons.response)
        }
        if let problem = readiness.problem { throw problem }
        request.respond(Self.ok)
    }

    static let ok = HTTPResponse.uncached(Array("ok\n".utf8), as: "text/plain; charset=utf-8")
}
