import Wire

/// The paths of a store's resources.
struct Links: Sendable {
    /// What they all begin with: empty for the store at `/`.
    let base: String

    init(base: String = "") {
        self.base = base
    }

    var index: String { base + "/" }
    var dispatch: String { base + "/dispatch" }
    var state: String { base + "/state" }
    var events: String { base + "/events" }
    var actions: String { base + "/actions" }
    var actionEvents: String { actions + "/events" }
    var trace: String { base + "/trace" }
    var schema: String { base + "/schema" }
    var openAPI: String { base + "/openapi.json" }
    var metrics: String { base + "/metrics" }
    var liveness: String { base + "/livez" }
    var readiness: String { base + "/readyz" }
    var problems: String { base + "/problems" }
    var modules: String { base + "/modules" }
    var effects: String { base + "/effects" }
    var views: String { base + "/views" }
    var sessions: String { base + "/sessions" }
    var session: String { base + "/session" }
    var route: String { base + "/route" }
    var routeShown: String { route + "/shown" }
    var subscriptions: String { base + "/debug/subscriptions" }
    var middleware: String { base + "/debug/middleware" }
    var commands: String { base + "/debug/commands" }
    var testClock: String { base + "/test/clock" }
    var testClockAdvance: String { testClock + "/advance" }

    func module(_ name: String) -> String { modules + "/" + segment(name) }
    func moduleEvents(_ name: String) -> String { module(name) + "/events" }
    func moduleUI(_ name: String) -> String { module(name) + "/ui" }
    func view(_ name: String) -> String { views + "/" + segment(name) }
    func viewEvents(_ name: String) -> String { view(name) + "/events" }
    func effect(_ id: String) -> String { effects + "/" + segment(id) }
    func command(_ name: String) -> String { commands + "/" + segment(name) }
    func notification(_ name: String) -> String { base + "/notify/" + segment(name) }

    /// A use case is named by its module and its method, with a slash between.
    func useCase(_ path: String) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return base + "/usecases/"
            + parts.map { segment(String(Substring($0))) }.joined(separator: "/")
    }

    /// One segment of a path.
    private func segment(_ text: String) -> String { PercentEncoding.encode(text) }
}
