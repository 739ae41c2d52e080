import StoreCore
import Testing

@testable import StoreActionCatalog
@testable import StoreServer

/// Declarations of personal members that a journal could not follow are refused.
@Suite struct PersonalMembersTests {
    private struct State: Codable, Equatable { var count = 0 }

    private struct Moved: Action, Codable, Equatable {
        struct Line: Codable, Equatable { var street: String }
        var lines: [Line]
        var byCity: [String: Line]
        var owner: String
        var number: Int
    }

    private struct Forgotten: Action, Codable, Equatable { var name: String }

    private var program: Server<State> {
        Server(state: State(), actions: [Moved.self, Forgotten.self]) { (_: inout State, _) in }
    }

    private func refusal(_ server: Server<State>) -> String {
        do throws(ConfigurationError) {
            try server.checkDeclarations()
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `members, elements and owners may be named`() {
        let declared = program.personal("Moved", "/lines/*/street", "/byCity/*", "", of: "/owner")
            .forgetting { [Forgotten(name: $0)] }
        #expect(refusal(declared) == "")
        #expect(refusal(program) == "")
    }

    @Test(
        arguments: [
            ("Mowed", "/owner", nil, "there is no action 'Mowed'"),
            ("Moved", "owner", nil, "'owner' is not a pointer such as /street or /lines/*/street"),
            ("Moved", "/street", nil, "the payload has nothing at '/street'"),
            ("Moved", "/number/x", nil, "the payload has nothing at '/number/x'"),
            ("Moved", "/lines/*/city", nil, "the payload has nothing at '/lines/*/city'"),
            ("Moved", "/number", "/lines/*/street", "is not a pointer such as /street, without *"),
            ("Moved", "/number", "/name", "the payload has nothing at '/name'"),
        ] as [(String, String, String?, String)]
    )
    func `a wrong name is refused`(action: String, pointer: String, owner: String?, reason: String)
    {
        let declared = program.personal(action, pointer, of: owner)
            .forgetting { [Forgotten(name: $0)] }
        #expect(refusal(declared).contains(reason))
    }

    @Test func `a program needs an action that forgets, and a history on disk`() {
        let declared = program.personal("Moved", "/owner")
        #expect(refusal(declared).contains("declare the actions that remove a user"))
        let own = declared.forgetting { [Forgotten(name: $0)] }.journal(MemoryJournal())
        #expect(refusal(own).contains("this program has a journal of its own"))
    }
}
