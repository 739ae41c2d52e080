import HTTPTransport
package import Wire

/// `GET /livez` and `GET /readyz`: whether the process works, and whether it takes requests.
package struct HealthRoutes: RouteGroup {
    package let links: Links
    /// What is wrong with the process; `nil` while all is well.
    package let livenessProblem: @Sendable () -> Problem?
    /// Why it takes no requests.
    package let readinessProblem: @Sendable () -> Problem?

    package init(
        links: Links,
        livenessProblem: @escaping @Sendable () -> Problem?,
        readinessProblem: @escaping @Sendable () -> Problem?
    ) {
        self.links = links
        self.livenessProblem = livenessProblem
        self.readinessProblem = readinessProblem
    }

    package var routes: [Route] {
        [
            .read(
                links.liveness,
                "Liveness",
                "Whether the process works.",
                answers: [.text("text/plain", "It does.")],
                isServedDuringDrain: true,
                handle: Self.handler(livenessProblem)
            ),
            .read(
                links.readiness,
                "Readiness",
                "Whether the server takes requests.",
                answers: [.text("text/plain", "It does.")],
                problems: [.draining],
                isServedDuringDrain: true,
                handle: Self.handler(readinessProblem)
            ),
        ]
    }

    private static func handler(_ problem: @escaping @Sendable () -> Problem?) -> Route.Handler {
        { request throws(Problem) in
            if let problem = problem() { throw problem }
            request.respond(ok)
        }
    }

    static let ok = HTTPResponse(
        status: 200,
        headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
        body: .bytes(Array("ok\n".utf8))
    )
}
