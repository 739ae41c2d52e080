import Testing

@testable import StoreAuthorization

@Suite struct GrantTests {
    @Test func `a request without a grant is denied`() throws {
        let granted = try #require(try role(""))
        #expect(
            !granted.seesState && !granted.seesEverything && !granted.readsLog && !granted.seesViews
        )
        #expect(!granted.seesAllSessions && !granted.mayDispatch)
        #expect(granted.visibleMembers == [])
        for group in RouteGroupName.allCases { #expect(!granted.mayUse(group)) }
        for action in yard.actions { #expect(try !granted.may(action.name, "{}")) }
        #expect(!granted.mayCall(useCase: "login/login") && !granted.mayNotify("paid"))
        #expect(try Policy(#"{"roles": {}}"#).role("anonymous") == nil)
    }

    @Test func `read grants members, views and the log each for itself`() throws {
        let member = try #require(try role(#""read": ["/todos", "/a~1b"]"#))
        #expect(member.visibleMembers == ["todos", "a/b"])
        #expect(member.sees(member: "todos") && member.sees(member: "a/b"))
        #expect(!member.sees(member: "counter") && !member.seesEverything && member.seesState)
        #expect(!member.readsLog && !member.seesViews)

        let view = try #require(try role(#""read": ["views/list"]"#))
        #expect(view.sees(view: "list") && !view.sees(view: "items") && view.seesViews)
        #expect(!view.seesState && !view.readsLog)

        let log = try #require(try role(#""read": ["log"]"#))
        #expect(log.readsLog && !log.seesState && !log.seesViews)
    }

    @Test func `the modules of actions are seen as members are`() throws {
        func seen(_ role: Role) -> [String] {
            yard.actions.indices.filter(role.sees(moduleOfActionAt:)).map { yard.actions[$0].name }
        }
        let some = try #require(try role(#""read": ["/todos", "/a~1b"]"#))
        #expect(seen(some) == ["todos/added", "AddItem", "todos/synced"])
        #expect(
            !some.sees(moduleOfActionAt: -1) && !some.sees(moduleOfActionAt: yard.actions.count)
        )
        #expect(seen(try #require(try role(#""dispatch": ["*"]"#))) == [])
        let all = try #require(try role(#""read": ["/*"]"#))
        #expect(seen(all) == yard.actions.map(\.name) && all.sees(moduleOfActionAt: -1))
    }

    @Test func `wildcards of read grant one kind, and the star grants all`() throws {
        let members = try #require(try role(#""read": ["/*"]"#))
        #expect(members.seesEverything && members.sees(member: "counter"))
        #expect(!members.readsLog && !members.seesViews)
        let views = try #require(try role(#""read": ["views/*"]"#))
        #expect(views.sees(view: "list") && views.sees(view: "items") && !views.seesState)
        let all = try #require(try role(#""read": ["*"]"#))
        #expect(all.seesEverything && all.readsLog && all.sees(view: "items"))
        #expect(!all.mayDispatch && !all.seesAllSessions)
        let each = try role(#""read": ["/counter", "/todos", "/cards", "/a~1b"]"#)
        #expect(each?.seesEverything == true)
    }

    @Test func `a state in one piece is read as a whole or not at all`() throws {
        #expect(try role("", in: piece)?.seesState == false)
        #expect(try role(#""read": ["/*"]"#, in: piece)?.seesEverything == true)
        #expect(try role(#""read": ["log"]"#, in: piece)?.seesEverything == false)
    }

    @Test func `dispatch grants a name, the names of a module, or all`() throws {
        let name = try #require(try role(#""dispatch": ["AddItem"]"#))
        #expect(try name.may("AddItem") && !name.may("todos/added") && name.mayDispatch)
        let module = try #require(try role(#""dispatch": ["todos/*"]"#))
        #expect(try module.may("AddItem") && module.may("todos/added"))
        #expect(try !module.may("counter/increased") && !module.may("Reset"))
        let instances = try #require(try role(#""dispatch": ["cards/{id}/liked"]"#))
        #expect(try instances.may("cards/{id}/liked") && !instances.may("AddItem"))
        let all = try #require(try role(#""dispatch": ["*"]"#))
        for action in yard.actions { #expect(try all.may(action.name) == action.isForClients) }
        #expect(all.denial(ofActionAt: 99, "none", nil, principal: "ann") != nil)
    }

    @Test func `a condition compares type and value, and fails without the member`() throws {
        let granted = try #require(
            try role(
                #""dispatch": [{"type": "cards/*", "where": {"/by": "$principal", "/n/0": 1}}]"#
            )
        )
        func may(_ payload: String?, as principal: String = "ann") throws -> Bool {
            try granted.may("cards/{id}/liked", payload, as: principal)
        }
        #expect(try may(#"{"by": "ann", "n": [1, 2]}"#))
        #expect(try may(#"{"by": "\u0061nn", "n": [1.0]}"#))
        #expect(try may(#"{"by": "eve", "n": [1]}"#, as: "eve"))
        for payload in [
            #"{"by": "eve", "n": [1]}"#, #"{"by": "ann"}"#, #"{"n": [1]}"#, "{}", "null",
            #"{"by": "ann", "n": ["1"]}"#, #"{"by": "ann", "n": [true]}"#,
            #"{"by": "ann", "n": [2]}"#, #"{"by": "ann", "n": {"0": 2}}"#,
            #"{"by": ["ann"], "n": [1]}"#, #"{"by": "Ann", "n": [1]}"#, #"{"by": null, "n": [1]}"#,
            #"{"by": "$principal", "n": [1]}"#,
        ] {
            #expect(try !may(payload), "\(payload)")
        }
        #expect(try !may(nil))
        // Two spellings of é are two names.
        #expect(try !may("{\"by\": \"e\u{301}\", \"n\": [1]}", as: "\u{E9}"))
        #expect(try !may(#"{"by": 1, "n": [1]}"#, as: "1"))
    }

    @Test func `values are of any kind`() throws {
        let granted = try #require(
            try role(#""dispatch": [{"type": "Reset", "where": {"/all": {"a": [true, null]}}}]"#)
        )
        #expect(try granted.may("Reset", #"{"all": {"a": [true, null]}}"#))
        #expect(try !granted.may("Reset", #"{"all": {"a": [true]}}"#))
        #expect(try !granted.may("Reset", #"{"all": {"a": [true, null], "b": 1}}"#))
    }

    @Test func `any of several grants allows`() throws {
        let several = try #require(
            try role(
                #"""
                "dispatch": [{"type": "AddItem", "where": {"/text": "a"}},
                    {"type": "todos/*", "where": {"/text": "b"}}, "counter/increased"]
                """#
            )
        )
        #expect(try several.may("AddItem", #"{"text": "a"}"#))
        #expect(try several.may("AddItem", #"{"text": "b"}"#))
        #expect(try !several.may("AddItem", #"{"text": "c"}"#))
        #expect(try !several.may("todos/added", #"{"text": "a"}"#))
        let always = try #require(
            try role(
                #""dispatch": [{"type": "AddItem", "where": {"/text": "a"}}, "AddItem"]"#
            )
        )
        #expect(try always.may("AddItem", nil))
    }

    @Test func `an action that is granted without conditions needs no look at its payload`() throws
    {
        let granted = try #require(
            try role(#""dispatch": [{"type": "AddItem", "where": {"/text": "a"}}, "todos/*"]"#)
        )
        let permission = granted.permission(ofActionAt: yard.place(of: "AddItem"))
        guard case .always = permission else {
            Issue.record("\(permission)")
            return
        }
    }

    @Test func `call grants use cases and notifications`() throws {
        let one = try #require(
            try role(#""call": ["usecases/cards/{id}/renamed", "notify/paid"]"#)
        )
        #expect(one.mayCall(useCase: "cards/{id}/renamed") && !one.mayCall(useCase: "login/login"))
        #expect(one.mayNotify("paid") && !one.mayNotify("woken"))
        let cases = try #require(try role(#""call": ["usecases/*"]"#))
        #expect(cases.mayCall(useCase: "login/login") && !cases.mayNotify("paid"))
        let events = try #require(try role(#""call": ["notify/*"]"#))
        #expect(events.mayNotify("woken") && !events.mayCall(useCase: "login/login"))
        let all = try #require(try role(#""call": ["*"]"#))
        #expect(all.mayCall(useCase: "login/login") && all.mayNotify("paid") && !all.mayDispatch)
    }

    @Test(arguments: RouteGroupName.allCases)
    func `use grants one group, or all`(group: RouteGroupName) throws {
        let one = try #require(try role(#""use": ["\#(group.rawValue)"]"#))
        for other in RouteGroupName.allCases { #expect(one.mayUse(other) == (other == group)) }
        #expect(one.seesAllSessions == (group == .operate))
        let all = try #require(try role(#""use": ["*"]"#))
        #expect(all.mayUse(group) && all.seesAllSessions && !all.seesState)
    }

    @Test func `a denial has a reason, without the values that the policy compares`() throws {
        let granted = try #require(
            try role(#""dispatch": [{"type": "todos/added", "where": {"/text": "s3cret"}}]"#)
        )
        let denial = granted.denial(
            ofActionAt: yard.place(of: "todos/added"),
            "todos/added",
            nil,
            principal: "ann"
        )
        let text =
            "The role 'r' may dispatch 'todos/added' only if '/text' has the value that the policy "
            + "requires."
        #expect(denial == .forbidden(text))
        #expect(
            granted.denial(ofActionAt: yard.place(of: "Reset"), "Reset", nil, principal: "ann")
                == .forbidden("The role 'r' may not dispatch 'Reset'.")
        )
    }

    @Test func `a grant holds in each store that has its action or member`() throws {
        let text = #"{"roles": {"r": {"dispatch": ["Increase", "AddItem"], "read": ["/todos"]}}}"#
        let file = try PolicyFile(parsing: Array(text.utf8), for: [yard, piece])
        let first = try #require(Policy(file, in: yard).role("r"))
        let second = try #require(Policy(file, in: piece).role("r"))
        #expect(try first.may("AddItem") && second.may("Increase", in: piece))
        #expect(first.sees(member: "todos") && !second.seesState)
        #expect(throws: PolicyError.self) { try Policy(text, in: yard) }
        let beside = try Policy(parsing: Array(text.utf8), in: yard, beside: [piece])
        #expect(beside.role("r") != nil)
    }
}
