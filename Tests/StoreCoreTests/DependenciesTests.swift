import StoreCore
import Testing

@Suite struct DependenciesTests {
    private enum Host: DependencyKey {
        static let live = "live.example"
    }

    private enum URLText: DerivedDependencyKey {
        static func derive(from dependencies: Dependencies) throws -> String {
            "https://" + (try dependencies[Host.self])
        }
    }

    private enum Page: DerivedDependencyKey {
        static func derive(from dependencies: Dependencies) throws -> String {
            try dependencies[URLText.self] + "/page"
        }
    }

    private enum Snake: DerivedDependencyKey {
        static func derive(from dependencies: Dependencies) throws -> Int {
            try dependencies[Tail.self]
        }
    }

    private enum Tail: DerivedDependencyKey {
        static func derive(from dependencies: Dependencies) throws -> Int {
            try dependencies[Snake.self]
        }
    }

    @Test func `a derived dependency follows its source`() throws {
        #expect(try Dependencies.live[Page.self] == "https://live.example/page")
        let test = Dependencies.unprepared.setting(Host.self, to: "test.example")
        #expect(try test[Page.self] == "https://test.example/page")
        #expect(try test.setting(URLText.self, to: "x:")[Page.self] == "x:/page")
    }

    @Test func `a missing dependency is named, and not the dependency derived from it`() {
        #expect(throws: UnpreparedDependency(key: "Host")) {
            try Dependencies.unprepared[Page.self]
        }
    }

    @Test func `a dependency that is derived from itself is an error`() {
        let error = #expect(throws: CircularDependency.self) {
            try Dependencies.live[Snake.self]
        }
        #expect(error?.description == "the dependency Snake is derived from itself")
    }
}
