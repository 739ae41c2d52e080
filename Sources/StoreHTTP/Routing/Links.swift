import StoreTexts

/// The paths of a store's resources.
package struct Links: Sendable {
    /// The name of the store; `nil` for the store at `/`.
    package let storeName: String?
    /// The prefix of all paths of the store: empty for the store at `/`.
    package let basePath: String

    package init(storeName: String? = nil) {
        self.storeName = storeName
        basePath = storeName.map { Self.stores + "/" + $0 } ?? ""
    }

    /// The path of the list of all stores. The path has no base, because the list belongs to the
    /// process.
    package static let stores = "/stores"

    package var index: String { basePath.isEmpty ? "/" : basePath }
    package var dispatch: String { basePath + "/dispatch" }
    func outcome(_ version: UInt64) -> String { dispatch + "/\(version)" }
    package var state: String { basePath + "/state" }
    var events: String { basePath + "/events" }
    package var actions: String { basePath + "/actions" }
    var actionEvents: String { actions + "/events" }
    package var trace: String { basePath + "/trace" }
    package var schema: String { basePath + "/schema" }
    var openAPI: String { basePath + "/openapi.json" }
    var metrics: String { basePath + "/metrics" }
    package var analytics: String { basePath + "/analytics" }
    var liveness: String { basePath + "/livez" }
    var readiness: String { basePath + "/readyz" }
    var problems: String { basePath + "/problems" }
    package var modules: String { basePath + "/modules" }
    package var effects: String { basePath + "/effects" }
    package var views: String { basePath + "/views" }
    package var sessions: String { basePath + "/sessions" }
    package var session: String { basePath + "/session" }
    package var schedule: String { basePath + "/schedule" }
    package func timer(_ name: String) -> String { schedule + "/" + segment(name) }
    package var users: String { basePath + "/users" }
    package func user(_ principal: String) -> String { users + "/" + segment(principal) }
    package var route: String { basePath + "/route" }
    var routeEvents: String { route + "/events" }
    var routeShown: String { route + "/shown" }
    package var subscriptions: String { basePath + "/debug/subscriptions" }
    package var middleware: String { basePath + "/debug/middleware" }
    package var interceptors: String { basePath + "/debug/interceptors" }
    package var commands: String { basePath + "/debug/commands" }
    var testClock: String { basePath + "/test/clock" }
    var testClockAdvance: String { testClock + "/advance" }

    package func module(_ name: String) -> String { modules + "/" + segment(name) }
    func moduleEvents(_ name: String) -> String { module(name) + "/events" }
    func moduleUI(_ name: String) -> String { module(name) + "/ui" }
    /// Returns the path that takes the actions of a module's views, or of the view of one instance.
    func ui(of name: String, instance: String?) -> String {
        instance.map { module(name) + "/" + segment($0) + "/ui" } ?? moduleUI(name)
    }
    /// Returns the template of the paths for the actions of a module's instances, with `{id}`.
    func instanceUITemplate(of name: String) -> String { module(name) + "/{id}/ui" }
    func view(_ name: String) -> String { views + "/" + segment(name) }
    func viewEvents(_ name: String) -> String { view(name) + "/events" }
    package func effect(_ id: String) -> String { effects + "/" + segment(id) }
    package func command(_ name: String) -> String { commands + "/" + segment(name) }
    package func notification(_ name: String) -> String { basePath + "/notify/" + segment(name) }

    /// Returns the path of a use case's method. `path` is the use case's name, a slash and the
    /// method's name.
    func useCase(_ path: String) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return basePath + "/usecases/"
            + parts.map { segment(String(Substring($0))) }.joined(separator: "/")
    }

    /// Returns the template of a method that belongs to instances, such as `cards/{id}/renamed`.
    /// The id follows the name of the use case.
    func instanceUseCaseTemplate(_ path: String) -> String {
        let parts = path.utf8.split(
            separator: UInt8(ascii: "/"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let method = parts.count > 1 ? useCase(parts[1]).dropFirst(useCase("").utf8.count) : ""
        return useCase(parts[0]) + "/{id}/" + method
    }

    /// Encodes a name as one segment of a path.
    private func segment(_ text: String) -> String { PercentEncoding.encode(text) }
}
