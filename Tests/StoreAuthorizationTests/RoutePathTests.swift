import Testing

@testable import StoreAuthorization

@Suite struct RoutePathTests {
    @Test(arguments: [
        ("GET", "/", RouteNeed.nothing), ("HEAD", "/livez", .nothing),
        ("GET", "/problems/forbidden", .nothing), ("POST", "/session", .nothing),
        ("DELETE", "/session", .nothing), ("POST", "/sessions", .group(.sessions)),
        ("POST", "/route/shown", .group(.sessions)), ("GET", "/route/events", .group(.sessions)),
        ("POST", "/dispatch", .dispatch), ("GET", "/dispatch/7", .dispatch),
        ("POST", "/modules/home/ui", .dispatch), ("POST", "/modules/cards/7/ui", .dispatch),
        ("GET", "/state", .state), ("HEAD", "/state/todos", .member("todos")),
        ("GET", "/state/todos/items/0", .member("todos")),
        ("GET", "/state/a~1b/x", .member("a/b")), ("GET", "/state/a%2Fb", .member("a/b")),
        ("GET", "/events", .state), ("GET", "/modules", .state),
        ("GET", "/modules/home", .member("home")), ("GET", "/modules/home/events", .member("home")),
        ("GET", "/views", .views), ("GET", "/views/x/events", .view("x")),
        ("GET", "/actions", .log), ("GET", "/actions/events", .log), ("GET", "/trace", .log),
        ("POST", "/usecases/a/b", .useCase("a/b")), ("POST", "/notify/paid", .notification("paid")),
        ("GET", "/schema", .group(.schema)), ("GET", "/openapi.json", .group(.schema)),
        ("GET", "/effects", .group(.effects)), ("DELETE", "/effects/7.0", .group(.effects)),
        ("GET", "/metrics", .group(.metrics)), ("GET", "/analytics", .group(.analytics)),
        ("POST", "/debug/commands/x", .group(.debug)),
        ("DELETE", "/debug/subscriptions/1", .group(.debug)),
        ("POST", "/test/clock/advance", .group(.clock)), ("GET", "/stores", .group(.stores)),
    ])
    func `each method of a path needs a grant`(
        method: String,
        path: String,
        need: RouteNeed
    ) {
        let route = PolicyRoutes.route(at: path)
        #expect(route?.need == need)
        #expect(route?.methods.contains(method) == true)
    }

    @Test(arguments: [
        "", "state", "/nope", "/views/", "/views/x/y", "/dispatch/1/2", "/state/%zz",
        "/schema/", "//", "/debug",
    ])
    func `another path has no route`(path: String) {
        #expect(PolicyRoutes.route(at: path) == nil)
    }

    @Test func `a role without a grant is denied, and hidden members stay hidden`()
        throws
    {
        let none = try #require(try role(""))
        #expect(none.denial(of: .nothing) == nil)
        #expect(none.denial(of: .member("todos")) == .hidden)
        #expect(none.denial(of: .view("list")) == .hidden)
        let may = { (need: RouteNeed) in
            if case .forbidden = none.denial(of: need) { true } else { false }
        }
        #expect(may(.state) && may(.views) && may(.log) && may(.dispatch) && may(.useCase("a/b")))
        #expect(may(.notification("paid")) && may(.group(.debug)))

        let all = try #require(
            try role(#""read": ["*"], "dispatch": ["*"], "call": ["*"], "use": ["*"]"#)
        )
        for need in [
            .nothing, .state, .member("todos"), .views, .view("list"), .log, .dispatch,
            .useCase("login/login"), .notification("paid"), .group(.debug),
        ] as [RouteNeed] {
            #expect(all.denial(of: need) == nil)
        }
    }
}
