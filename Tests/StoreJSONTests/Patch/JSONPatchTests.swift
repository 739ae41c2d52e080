import StoreTestSupport
import Testing

@testable import StoreJSON

@Suite struct JSONPatchTests {
    @Test(arguments: [
        ("{}", "{}", "[]"),
        ("1", "2", #"[{"op":"replace","path":"","value":2}]"#),
        ("{}", "[]", #"[{"op":"replace","path":"","value":[]}]"#),
        (
            #"{"counter":{"counter":0,"step":1},"name":"a long name that stays as it is"}"#,
            #"{"counter":{"counter":7,"step":1},"name":"a long name that stays as it is"}"#,
            #"[{"op":"replace","path":"/counter/counter","value":7}]"#
        ),
        (
            #"{"gone":1,"stays":"a long text that is the same before and afterwards"}"#,
            #"{"stays":"a long text that is the same before and afterwards","new":[1]}"#,
            #"[{"op":"remove","path":"/gone"},{"op":"add","path":"/new","value":[1]}]"#
        ),
        (
            #"{"a/b~\"c\n":1,"stays":"a long text that is the same before and afterwards"}"#,
            #"{"a/b~\"c\n":2,"stays":"a long text that is the same before and afterwards"}"#,
            #"[{"op":"replace","path":"/a~1b~0\"c\n","value":2}]"#
        ),
    ])
    func `a patch has the expected operations`(old: String, new: String, patch: String) throws {
        #expect(try diff(old, new) == patch)
    }

    @Test func `an array's edits touch only changed elements`() throws {
        let items = (0..<20).map { #"{"text":"item number \#($0)","completed":false}"# }
        let list = { (items: [String]) in "{\"items\":[\(items.joined(separator: ","))]}" }

        var inserted = items
        inserted.insert("{}", at: 3)
        #expect(
            try diff(list(items), list(inserted)) == #"[{"op":"add","path":"/items/3","value":{}}]"#
        )

        var removed = items
        removed.remove(at: 17)
        removed.remove(at: 4)
        #expect(
            try diff(list(items), list(removed))
                == #"[{"op":"remove","path":"/items/4"},{"op":"remove","path":"/items/16"}]"#
        )

        var changed = items
        changed[0] = #"{"text":"item number 0","completed":true}"#
        changed[19] = #"{"text":"item number 19","completed":true}"#
        #expect(
            try diff(list(items), list(changed))
                == #"[{"op":"replace","path":"/items/0/completed","value":true},"#
                + #"{"op":"replace","path":"/items/19/completed","value":true}]"#
        )
    }

    @Test func `members in another order are no change`() throws {
        #expect(try diff(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#) == "[]")
    }

    @Test func `names that only look the same are two names`() throws {
        let (old, new) = (
            "{\"\u{E9}\":1,\"e\u{301}\":2,\"long\":\"as it was, and as it stays\"}",
            "{\"\u{E9}\":1,\"e\u{301}\":3,\"long\":\"as it was, and as it stays\"}"
        )
        let patch = try parse(diff(old, new))

        let result = try JSONPatch.apply(patch, to: JSONTree(parse(old).root))

        #expect(result == JSONTree(try parse(new).root))
        #expect(patch.root.count > 0)
    }

    @Test func `protocol 4.3: a patch of random documents gives the second document`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        var smaller = 0
        for _ in 0..<3_000 {
            let old = RandomJSON.document(using: &random)
            let new =
                Bool.random(using: &random)
                ? RandomJSON.changed(old, using: &random) : RandomJSON.document(using: &random)
            let (a, b) = (try parse(RandomJSON.text(old)), try parse(RandomJSON.text(new)))

            let patch = text(try JSONPatch.diff(from: a, to: b))
            let result = try JSONPatch.apply(parse(patch), to: JSONTree(a.root))

            let replacement = #"[{"op":"replace","path":"","value":\#(RandomJSON.text(new))}]"#
            #expect(
                result == JSONTree(b.root),
                "\(RandomJSON.text(old)) to \(RandomJSON.text(new))"
            )
            #expect(patch.utf8.count <= replacement.utf8.count)
            #expect(patch == text(try JSONPatch.diff(from: a, to: b)))
            if patch.utf8.count < replacement.utf8.count { smaller += 1 }
        }
        #expect(smaller > 500)
    }

    @Test func `few edits in a long array make a short patch`() throws {
        let old = (0..<10_000).map(String.init)
        var new = old
        for index in stride(from: 9_000, to: 1_000, by: -700) { new.remove(at: index) }
        for index in stride(from: 500, to: 9_500, by: 900) { new.insert("-1", at: index) }

        let patch = try parse(diff(json(old), json(new)))
        let result = try JSONPatch.apply(patch, to: JSONTree(parse(json(old)).root))

        #expect((1...22).contains(patch.root.count))
        #expect(result == JSONTree(try parse(json(new)).root))
    }

    @Test func `arrays beyond the bound of edits are still patched rightly`() throws {
        let old = (0..<2_000).map(String.init)
        let new = old.indices.filter { $0 % 3 != 1 }.map { old[$0] }
        #expect(old.count - new.count > SharedElements.editsMax)

        let result = try JSONPatch.apply(
            parse(diff(json(old), json(new))),
            to: JSONTree(parse(json(old)).root)
        )

        #expect(result == JSONTree(try parse(json(new)).root))
    }

    @Test func `arrays share the longest sequence that they can`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        for _ in 0..<2_000 {
            let letters = { (random: inout SplitMix) in
                (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    String(Int.random(in: 0...3, using: &random))
                }
            }
            let (old, new) = (letters(&random), letters(&random))
            let (a, b) = (try parse(json(old)), try parse(json(new)))

            let gaps = SharedElements.gapLengths(between: a.root.elements, and: b.root.elements)

            #expect(gaps.count == longest(old[...], new[...]), "\(old) \(new)")
            var (x, y) = (0, 0)
            for gap in gaps {
                (x, y) = (x + gap.old, y + gap.new)
                #expect(old[x] == new[y])
                (x, y) = (x + 1, y + 1)
            }
        }
    }

    /// Returns the length of a longest common subsequence, by its definition.
    private func longest(_ old: ArraySlice<String>, _ new: ArraySlice<String>) -> Int {
        guard let a = old.first, let b = new.first else { return 0 }
        if a == b { return 1 + longest(old.dropFirst(), new.dropFirst()) }
        return max(longest(old.dropFirst(), new), longest(old, new.dropFirst()))
    }

    private func json(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }

    @Test func `a patch for a part carries the place of the part`() throws {
        let (old, new) = (
            try parse(#"{"a":"long enough","b":1}"#), try parse(#"{"a":"long enough","b":2}"#)
        )
        let place = JSONPointer(tokens: ["modules", "x/y"])

        let patch = try JSONPatch.diff(from: old, to: new, at: place)

        #expect(text(patch) == #"[{"op":"replace","path":"/modules/x~1y/b","value":2}]"#)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"[{"op":"add","path":"/b","value":2}]"#, #"{"a":1,"b":2}"#),
        (#"[1,3]"#, #"[{"op":"add","path":"/1","value":2}]"#, "[1,2,3]"),
        (#"[1]"#, #"[{"op":"add","path":"/-","value":2}]"#, "[1,2]"),
        (#"{"a":1,"b":2}"#, #"[{"op":"move","from":"/a","path":"/c"}]"#, #"{"b":2,"c":1}"#),
        (#"{"a":[1]}"#, #"[{"op":"copy","from":"/a/0","path":"/a/0"}]"#, #"{"a":[1,1]}"#),
        (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":1.0}]"#, #"{"a":1}"#),
        (#"{"a":null}"#, #"[{"op":"replace","path":"/a","value":{}}]"#, #"{"a":{}}"#),
    ])
    func `RFC 6902: operations are applied`(old: String, patch: String, new: String) throws {
        #expect(text(try JSONPatch.apply(parse(patch), to: parse(old))) == new)
    }

    @Test(arguments: [
        ("{}", "{}"), ("{}", #"[{"op":"remove","path":"/a"}]"#),
        ("{}", #"[{"op":"replace","path":"/a","value":1}]"#),
        ("[]", #"[{"op":"add","path":"/1","value":1}]"#),
        ("[1]", #"[{"op":"remove","path":"/-"}]"#), ("[1]", #"[{"op":"remove","path":"/00"}]"#),
        ("{}", #"[{"op":"add","path":"/a/b","value":1}]"#),
        ("1", #"[{"op":"add","path":"/a","value":1}]"#),
        ("{}", #"[{"op":"add","path":"/a"}]"#), ("{}", #"[{"op":"grow","path":""}]"#),
        (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":2}]"#),
        (#"{"a":{}}"#, #"[{"op":"move","from":"/a","path":"/a/b"}]"#),
    ])
    func `RFC 6902: an impossible operation is refused`(old: String, patch: String) throws {
        #expect(throws: JSONPatchError.self) { try JSONPatch.apply(parse(patch), to: parse(old)) }
    }

    private func diff(_ old: String, _ new: String) throws -> String {
        try text(JSONPatch.diff(from: parse(old), to: parse(new)))
    }
}

/// Small documents with awkward names and texts.
private enum RandomJSON {
    private static let words = [
        "a", "b", "c", "", "a/b", "m~n", "~1", "\"", "\\", "\n", "ä", "0", "1",
    ]

    static func document(using random: inout SplitMix, depth: Int = 0) -> JSONTree {
        switch Int.random(in: depth > 3 ? 0...3 : 0...9, using: &random) {
        case 0: .literal(["null", "true", "false"][Int.random(in: 0..<3, using: &random)])
        case 1: .literal(String(Int.random(in: -9...9, using: &random)))
        case 2: .literal("0.5")
        case 3: .string(word(&random))
        case 4...6:
            .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    document(using: &random, depth: depth + 1)
                }
            )
        default: .object(members(using: &random, depth: depth))
        }
    }

    static func changed(_ tree: JSONTree, using random: inout SplitMix) -> JSONTree {
        guard Int.random(in: 0...5, using: &random) > 0 else {
            return document(using: &random, depth: 2)
        }
        switch tree {
        case .array(var elements):
            guard let index = elements.indices.randomElement(using: &random) else { return tree }
            switch Int.random(in: 0...3, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.insert(document(using: &random, depth: 3), at: index)
            default: elements[index] = changed(elements[index], using: &random)
            }
            return .array(elements)
        case .object(var members):
            guard let index = members.indices.randomElement(using: &random) else { return tree }
            switch Int.random(in: 0...4, using: &random) {
            case 0: members.remove(at: index)
            case 1: members.shuffle(using: &random)
            default: members[index].value = changed(members[index].value, using: &random)
            }
            return .object(members)
        default:
            return document(using: &random, depth: 3)
        }
    }

    static func text(_ tree: JSONTree) -> String {
        var writer = JSONWriter()
        tree.write(to: &writer)
        return String(decoding: writer.byteArray, as: UTF8.self)
    }

    private static func word(_ random: inout SplitMix) -> String {
        words[Int.random(in: 0..<words.count, using: &random)]
    }

    private static func members(
        using random: inout SplitMix,
        depth: Int
    ) -> [(name: String, value: JSONTree)] {
        var members: [(name: String, value: JSONTree)] = []
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let name = word(&random)
            guard !members.contains(where: { $0.name == name }) else { continue }
            members.append((name, document(using: &random, depth: depth + 1)))
        }
        return members
    }
}
