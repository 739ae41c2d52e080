import Testing

@testable import StoreAuthorization

@Suite struct ExplainerTests {
    private static let text = #"""
        {"roles": {
            "author": {
                "read": ["/todos", "views/list", "log"],
                "dispatch": ["counter/*", {"type": "todos/added", "where": {"/by": "$principal"}}],
                "call": ["usecases/cards/{id}/renamed", "notify/paid"],
                "use": ["schema"]
            },
            "operator": {"read": ["*"], "dispatch": ["*"], "call": ["*"], "use": ["*"]}
        }}
        """#

    private func explain(
        _ question: PolicyQuestion,
        as role: String = "author",
        hasPolicy: Bool = true
    ) throws -> String {
        let file = try PolicyFile(parsing: Array(Self.text.utf8), for: [yard])
        return try PolicyExplainer(hasPolicy ? file : nil, in: yard).explain(question, as: role)
            .text
    }

    @Test(arguments: [
        (
            "/state/todos/items",
            #"allowed: GET /state/todos/items by /roles/author/read/0: "/todos""#
        ),
        (
            "/views/list/events",
            #"allowed: GET /views/list/events by /roles/author/read/1: "views/list""#
        ),
        ("/actions", #"allowed: GET /actions by /roles/author/read/2: "log""#),
        (
            "/usecases/cards/7/renamed",
            #"allowed: POST /usecases/cards/7/renamed by /roles/author/call/0: "usecases/cards/{id}/renamed""#
        ),
        ("/notify/paid", #"allowed: POST /notify/paid by /roles/author/call/1: "notify/paid""#),
        ("/schema", #"allowed: GET /schema by /roles/author/use/0: "schema""#),
        ("/livez", "allowed: GET /livez is open to all roles, without a grant"),
        (
            "/metrics",
            #"denied: nothing in /roles/author/use grants GET /metrics; "metrics" or "*" would"#
        ),
        (
            "/usecases/login/login",
            #"denied: nothing in /roles/author/call grants POST /usecases/login/login; "usecases/login/login", "usecases/*" or "*" would"#
        ),
        (
            "/modules/cards",
            #"denied: nothing in /roles/author/read grants GET /modules/cards; "/cards", "/*" or "*" would; the answer is 404, as if nothing were there"#
        ),
        (
            "/state",
            #"""
            allowed: GET /state shows a part of the state
              /roles/author/read/0: "/todos"
              without "counter", "cards", "a/b"
            """#
        ),
    ])
    func `a path is explained with its grant, or with the missing grant`(
        path: String,
        text: String
    ) throws {
        #expect(try explain(.path(path, method: nil)) == text)
    }

    @Test func `an action is explained with its grant, its condition, or their absence`() throws {
        func explain(_ action: String, _ payload: String? = nil) throws -> String {
            try self.explain(
                .action(action, payload: payload.map { Array($0.utf8) }, principal: "ann")
            )
        }
        #expect(
            try explain("counter/increased")
                == #"allowed: "counter/increased" by /roles/author/dispatch/0: "counter/*""#
        )
        #expect(try explain("todos/added", #"{"by": "ann"}"#).hasPrefix("allowed: "))
        let denied = try explain("todos/added", #"{"by": "eve"}"#)
        #expect(denied.hasPrefix(#"denied: "todos/added" is granted, but not with this payload"#))
        #expect(
            denied.hasSuffix(
                #"'/by' of the payload has to be the principal's name, "ann", and is "eve""#
            )
        )
        #expect(try explain("todos/added").hasSuffix("and is missing"))
        #expect(
            try explain("cards/7/liked")
                == #"denied: nothing in /roles/author/dispatch grants "cards/7/liked"; "cards/{id}/liked", "cards/*" or "*" would"#
        )
        #expect(try explain("todos/synced").contains("the program alone"))
    }

    @Test(arguments: [
        (PolicyQuestion.path("/nope", method: nil), "no route"),
        (.path("/state", method: "POST"), "only the methods GET, HEAD"),
        (.path("/session", method: "PUT"), "only the methods GET, HEAD, POST, DELETE"),
        (.path("/state/todo", method: nil), #"did you mean "todos"?"#),
        (.path("/views/lst", method: nil), #"did you mean "list"?"#),
        (.path("/notify/pad", method: nil), #"did you mean "paid"?"#),
        (.path("/usecases/login/logn", method: nil), #"did you mean "login/login"?"#),
        (.action("todos/aded", payload: nil, principal: "a"), #"did you mean "todos/added"?"#),
        (.action("AddItem", payload: [0x7B], principal: "a"), "no JSON"),
    ])
    func `a question with unknown names is refused`(
        question: PolicyQuestion,
        text: String
    ) throws {
        let error = #expect(throws: PolicyQuestionError.self) { try explain(question) }
        #expect(error?.description.contains(text) == true)
    }

    @Test func `an unknown role has the grants for all`() throws {
        #expect(
            try explain(.path("/state", method: nil), as: "autor")
                == #"denied: the policy has no role "autor"; did you mean "author"?"#
        )
        #expect(try explain(.path("/", method: nil), as: "autor").hasPrefix("allowed"))
    }

    @Test func `without a policy anonymous may do all but debug and operate`() throws {
        func explain(_ path: String, as role: String) throws -> Bool {
            try self.explain(.path(path, method: nil), as: role, hasPolicy: false)
                .hasPrefix("allowed")
        }
        #expect(try explain("/state", as: "anonymous") && explain("/metrics", as: "anonymous"))
        #expect(try !explain("/debug/commands", as: "anonymous"))
        #expect(try !explain("/state", as: "author"))
    }
}
