import StoreJSON
import Testing

@Suite struct JSONTreeTests {
    private func tree(_ text: String) throws -> JSONTree {
        JSONTree(try JSONDocument(parsing: Array(text.utf8), limits: JSONLimits()).root)
    }

    @Test(arguments: [
        ("/a", "9", #"{"a":9,"b":[1,2]}"#),
        ("/b/1", "9", #"{"a":0,"b":[1,9]}"#),
        ("/b/2", "9", #"{"a":0,"b":[1,2,9]}"#),
        ("/b/-", "9", #"{"a":0,"b":[1,2,9]}"#),
        ("/c", "9", #"{"a":0,"b":[1,2],"c":9}"#),
        ("", "9", "9"),
    ])
    func `a value is put at the place of a pointer`(
        place: String,
        value: String,
        result: String
    ) throws {
        var tree = try tree(#"{"a":0,"b":[1,2]}"#)
        let pointer = try #require(JSONPointer(place))
        let isPut = try tree.put(self.tree(value), at: pointer)
        #expect(isPut)
        #expect(try tree == self.tree(result))
    }

    @Test(arguments: ["/a/b", "/b/3", "/b/x", "/c/d"])
    func `a pointer that leads nowhere changes nothing`(place: String) throws {
        let before = try tree(#"{"a":0,"b":[1,2]}"#)
        var tree = before
        let pointer = try #require(JSONPointer(place))
        let isPut = tree.put(.literal("9"), at: pointer)
        #expect(!isPut)
        #expect(tree == before)
    }

    @Test func `equal values have the same text, in the order of an example`() throws {
        let example = try tree(#"{"b":{"y":1,"x":2},"a":[0.5,"é"]}"#)
        let other = try tree(#"{"a":[50e-2,"\u00e9"],"b":{"x":2.0,"y":1e0}}"#)
        #expect(other == example)
        let text = String(decoding: other.uniformJSON(orderedLike: example), as: UTF8.self)
        #expect(text == #"{"b":{"y":1,"x":2},"a":[0.5,"é"]}"#)
        #expect(
            other.uniformJSON(orderedLike: example) == example.uniformJSON(orderedLike: example)
        )
    }
}
