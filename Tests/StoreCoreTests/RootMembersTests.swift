import Testing

@testable import StoreCore

@Suite struct RootMembersTests {
    private struct More: RootState {
        var tally = Tally.State()
        var notes = ["lost"]
        static let modules: Modules = [Tally().at(\.tally)]
    }

    private struct Renamed: RootState {
        var counter = Tally.State()
        static let modules: Modules = [Tally().at(\.counter)]
    }

    private struct RenamedAndMore: RootState {
        var counter = Tally.State()
        var tally = 1
        static let modules: Modules = [Tally().at(\.counter)]
    }

    private struct Grouped: RootState {
        struct Group: Equatable { var tally = Tally.State() }
        var group = Group()
        static let modules: Modules = [Tally().at(\.group.tally)]
    }

    private struct Computed: RootState {
        private var storage = Tally.State()
        var tally: Tally.State {
            get { storage }
            set { storage = newValue }
        }
        init() {}
        static let modules: Modules = [Tally().at(\.tally)]
    }

    private struct WrittenWithMore: RootState {
        enum Keys: CodingKey { case tally, version }
        var tally = Tally.State()
        static let modules: Modules = [Tally().at(\.tally)]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(tally, forKey: .tally)
            try container.encode(1, forKey: .version)
        }
    }

    private struct WrittenWithLess: RootState {
        var tally = Tally.State()
        static let modules: Modules = [Tally().at(\.tally)]

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode([tally.count])
        }
    }

    @Test func `a member that no module has is named when a store begins`() throws {
        let error = ModuleError.foreignMember(found: ["notes"], modules: ["tally"])
        #expect(throws: error) { try Core(More()) }
        #expect(throws: error) { try ModuleMachine<More>() }
        #expect(
            error.description == """
                the root state has the members ["notes"], which are no slices of its modules \
                ["tally"] and would be lost; mount a module at each, name it as a \
                .field, or take them out
                """
        )
        #expect(throws: ModuleError.foreignMember(found: ["tally"], modules: ["tally"])) {
            try Core(RenamedAndMore())
        }
    }

    @Test func `a slice may have another name than its module, and lie within a member`() throws {
        _ = try Core(Renamed())
        _ = try Core(Grouped())
        _ = try Core(Computed())
    }

    @Test func `a root with other names on the wire than its modules is refused`() throws {
        #expect(throws: ModuleError.foreignMember(found: ["version"], modules: ["tally"])) {
            try Core(WrittenWithMore())
        }
        let less = ModuleError.foreignMember(found: [], modules: ["tally"])
        #expect(throws: less) { try Core(WrittenWithLess()) }
        #expect(less.description.contains("leaves out slices of its modules"))
    }
}
