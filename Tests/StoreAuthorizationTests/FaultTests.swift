import Testing

@testable import StoreAuthorization

@Suite struct FaultTests {
    private func faults(_ text: String, in world: PolicyVocabulary = yard) -> [PolicyFault] {
        do {
            _ = try PolicyFile(parsing: Array(text.utf8), for: [world])
            return []
        } catch {
            return error.faults
        }
    }

    /// The lists of a file's role, the pointer to the fault, a part of its message, and the name
    /// that it offers.
    static let wrong: [(lists: String, pointer: String, text: String, nearest: String?)] = [
        (#""reed": []"#, "/reed", "no member has this name", "read"),
        (#""read": "log""#, "/read", "an array", nil),
        (#""read": [1]"#, "/read/0", "no text", nil),
        (#""read": ["todos"]"#, "/read/0", "no name of a part that can be read", "/todos"),
        (#""read": ["log", "/todo"]"#, "/read/1", "no member of the state", "/todos"),
        (#""read": ["/todos/items"]"#, "/read/0", "a part of a member", nil),
        (#""read": ["views/lst"]"#, "/read/0", "no view", "views/list"),
        (#""read": ["/~"]"#, "/read/0", "no name of a part that can be read", nil),
        (#""read": [""]"#, "/read/0", "no name of a part that can be read", nil),
        (#""dispatch": ["todos/aded"]"#, "/dispatch/0", "no action", "todos/added"),
        (#""dispatch": ["todo/*"]"#, "/dispatch/0", "no module", "todos/*"),
        (#""dispatch": ["/*"]"#, "/dispatch/0", "no action", nil),
        (#""dispatch": ["todos/synced"]"#, "/dispatch/0", "the program alone", nil),
        (#""dispatch": ["cards/7/liked"]"#, "/dispatch/0", #"allowed is "cards/{id}/liked""#, nil),
        (#""dispatch": [null]"#, "/dispatch/0", "no grant", nil),
        (#""dispatch": [{"where": {"/text": 1}}]"#, "/dispatch/0", #"no member "type""#, nil),
        (#""dispatch": [{"type": 1, "where": {"/text": 1}}]"#, "/dispatch/0/type", "no text", nil),
        (#""dispatch": [{"type": "AddItem"}]"#, "/dispatch/0/where", "JSON Pointers", nil),
        (#""dispatch": [{"type": "AddItem", "where": {}}]"#, "/dispatch/0/where", "Pointers", nil),
        (#""dispatch": [{"type": "AddItem", "where": []}]"#, "/dispatch/0/where", "Pointers", nil),
        (
            #""dispatch": [{"type": "AddItem", "were": 1, "where": {"/text": 1}}]"#,
            "/dispatch/0/were", "no member has", "where"
        ),
        (
            #""dispatch": [{"type": "AddItem", "where": {"text": 1}}]"#,
            "/dispatch/0/where/text", "no JSON Pointer", nil
        ),
        (
            #""dispatch": [{"type": "AddItem", "where": {"": 1}}]"#,
            "/dispatch/0/where/", "no JSON Pointer", nil
        ),
        (
            #""dispatch": [{"type": "AddItem", "where": {"/txet": 1}}]"#,
            "/dispatch/0/where/~1txet", "no payload of this type", "text"
        ),
        (
            #""dispatch": [{"type": "Reset", "where": {"/code": 1}}]"#,
            "/dispatch/0/where/~1code", "the server removes", nil
        ),
        (
            #""dispatch": [{"type": "AddItem", "where": {"/text": "$princpal"}}]"#,
            "/dispatch/0/where/~1text", "like a variable", "$principal"
        ),
        (
            #""dispatch": [{"type": "AddItem", "where": {"/text": ["$principal"]}}]"#,
            "/dispatch/0/where/~1text", "as the whole value", "$principal"
        ),
        (#""call": ["usecases/login/logn"]"#, "/call/0", "no use case", "usecases/login/login"),
        (#""call": ["notify/pad"]"#, "/call/0", "no notification", "notify/paid"),
        (#""call": ["login/login"]"#, "/call/0", "no name of a use case", nil),
        (#""use": ["metric"]"#, "/use/0", "no group of routes", "metrics"),
        (#""use": [{}]"#, "/use/0", "no text", nil),
    ]

    @Test(arguments: wrong.indices)
    func `a fault in a role is named with its place`(index: Int) throws {
        let (lists, pointer, text, nearest) = Self.wrong[index]
        let found = faults(#"{"roles": {"r": {\#(lists)}}}"#)
        let fault = try #require(found.first)
        #expect(found.count == 1)
        #expect(fault.pointer == "/roles/r" + pointer)
        #expect(fault.message.contains(text), "\(fault)")
        #expect(fault.suggestedName == nearest)
    }

    @Test(arguments: [
        ("", "", "byte 0"),
        (#"{"roles": {"#, "", "byte"),
        ("[]", "", "an object"),
        ("{}", "", #"member "roles" is missing"#),
        (#"{"roles": []}"#, "/roles", "an object"),
        (#"{"roles": {}, "rules": 1}"#, "/rules", "no member has this"),
        (#"{"roles": {}, "$schema": 1}"#, "/$schema", "a text"),
        (#"{"roles": {"": {}}}"#, "/roles/", "not a valid name"),
        (#"{"roles": {"a b": {}}}"#, "/roles/a b", "not a valid name"),
        (#"{"roles": {"a/b": {}}}"#, "/roles/a~1b", "not a valid name"),
        (#"{"roles": {"é": {}}}"#, "/roles/é", "not a valid name"),
        (#"{"roles": {"r": []}}"#, "/roles/r", "an object"),
        (#"{"roles": {"r": {}, "r": {}}}"#, "", "byte"),
        (#"{"roles": {"r": {"read": [], "read": []}}}"#, "", "byte"),
    ])
    func `a file of another form is refused`(text: String, pointer: String, message: String) throws
    {
        let found = faults(text)
        let fault = try #require(found.first)
        #expect(found.count == 1)
        #expect(fault.pointer == pointer)
        #expect(fault.message.contains(message), "\(fault)")
    }

    @Test func `names of roles have 1 to 64 characters of some kinds`() {
        let longest = String(repeating: "x", count: 64)
        #expect(faults(#"{"$schema": "x", "roles": {"a_B.9-": {}, "\#(longest)": {}}}"#).isEmpty)
        #expect(faults(#"{"roles": {"\#(longest)x": {}}}"#).count == 1)
    }

    @Test func `each fault is found, and its line has the file, the place and a name`() {
        let text =
            #"{"roles": {"r": {"read": ["/todo", "log"], "use": ["metric"]}, "s": {"cal": []}}}"#
        let found = faults(text)
        #expect(found.map(\.pointer) == ["/roles/r/read/0", "/roles/r/use/0", "/roles/s/cal"])
        let lines = PolicyError(faults: found).lines(of: "policy.json")
        #expect(lines[0].hasPrefix(#"policy.json: /roles/r/read/0: "/todo" is no member"#))
        #expect(lines[0].hasSuffix(#"; did you mean "/todos"?"#))
    }

    @Test func `a file has bounds`() {
        let many = { (count: Int, what: (Int) -> String) in
            (0..<count).map(what).joined(separator: ", ")
        }
        let roles = { (count: Int) in #"{"roles": {\#(many(count) { #""r\#($0)": {}"# })}}"# }
        #expect(faults(roles(PolicyFile.rolesMax)).isEmpty)
        #expect(faults(roles(PolicyFile.rolesMax + 1)).map(\.pointer) == ["/roles"])

        let half = PolicyFile.grantsMax / 2
        let grants = { (count: Int) in
            let first = many(half) { _ in #""log""# }
            let second = many(count - half) { _ in #""schema""# }
            return
                #"{"roles": {"a": {"read": [\#(first)]}, "b": {"use": [\#(second)]}, "c": {"use": ["*"]}}}"#
        }
        #expect(faults(grants(PolicyFile.grantsMax - 1)).isEmpty)
        #expect(faults(grants(PolicyFile.grantsMax)).map(\.pointer) == ["/roles/c/use"])
        #expect(faults(grants(PolicyFile.grantsMax + 1)).map(\.pointer) == ["/roles/b/use"])

        let conditions = { (count: Int) in
            let pairs = many(count) { #""/x\#($0)": 1"# }
            return #"{"roles": {"r": {"dispatch": [{"type": "cards/*", "where": {\#(pairs)}}]}}}"#
        }
        #expect(faults(conditions(PolicyFile.conditionsMax)).isEmpty)
        #expect(faults(conditions(PolicyFile.conditionsMax + 1)).count == 1)

        let file = #"{"roles": {}}"#
        let space = String(repeating: " ", count: PolicyFile.bytesMax - file.utf8.count)
        #expect(faults(file + space).isEmpty)
        #expect(faults(file + space + " ").first?.message.contains("too large") == true)
    }

    @Test func `the list of faults has a bound`() {
        let grants = (0..<500).map { _ in #""no""# }.joined(separator: ", ")
        let found = faults(#"{"roles": {"r": {"use": [\#(grants)]}}}"#)
        #expect(found.count == PolicyError.faultsMax)
        #expect(PolicyError(faults: found).lines(of: nil).count == PolicyError.faultsMax + 1)

        let most = (1..<PolicyError.faultsMax).map { _ in #""no""# }.joined(separator: ", ")
        let last = #"{"type": "AddItem", "where": {"/a": 1, "/b": 2, "/c": 3}}"#
        let more = faults(#"{"roles": {"r": {"dispatch": [\#(most), \#(last)]}}}"#)
        #expect(more.count == PolicyError.faultsMax)
    }

    @Test func `a member of a condition is refused only if no matching action has it`() {
        let file = { (type: String) in
            #"{"roles": {"r": {"dispatch": [{"type": "\#(type)", "where": {"/by": 1}}]}}}"#
        }
        #expect(faults(file("todos/*")).isEmpty)
        #expect(faults(file("cards/{id}/liked")).isEmpty)
        #expect(faults(file("AddItem")).count == 1)
        #expect(faults(file("counter/*")).count == 1)
    }

    @Test func `a fault has no control characters of the file`() throws {
        let fault = try #require(faults(#"{"roles": {"r": {"use": ["a\nb\u001b[2J"]}}}"#).first)
        #expect(!fault.description.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test func `a state in one piece has no members to name`() throws {
        let fault = try #require(faults(#"{"roles": {"r": {"read": ["/x"]}}}"#, in: piece).first)
        #expect(fault.message.contains("no members to grant"))
    }
}
