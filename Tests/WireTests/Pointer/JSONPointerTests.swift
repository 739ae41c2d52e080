import Testing

@testable import Wire

@Suite struct JSONPointerTests {
    @Test(arguments: [
        ("", []), ("/", [""]), ("/foo/0", ["foo", "0"]), ("/a~1b", ["a/b"]), ("/m~0n", ["m~n"]),
        ("/~01", ["~1"]), ("//", ["", ""]), ("/c%d", ["c%d"]), ("/ ", [" "]),
        ("/\u{301}a", ["\u{301}a"]),
    ])
    func `RFC 6901: reads and writes the string form`(text: String, tokens: [String]) {
        let pointer = JSONPointer(text)

        #expect(pointer?.tokens == tokens)
        #expect(pointer?.description == text)
    }

    @Test(arguments: ["a", "~", "/~", "/~2", "/a~", "0/", " /", "#/a"])
    func `RFC 6901: refuses what is no pointer`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test(arguments: [
        ("", []), ("/", [""]), ("/todos/items/0", ["todos", "items", "0"]), ("/a%2Fb", ["a/b"]),
        ("/a~1b", ["a/b"]), ("/a%7E1b", ["a/b"]), ("/%C3%A4", ["ä"]), ("/a+b", ["a+b"]),
        ("/%00", ["\0"]),
    ])
    func `protocol 3.2: reads a pointer from the path of a request`(
        path: String,
        tokens: [String]
    ) {
        #expect(JSONPointer(path: path)?.tokens == tokens)
    }

    @Test(arguments: ["/%", "/%4", "/%zz", "/%C3", "/%ED%A0%80", "/%C0%AF", "/a~2", "a"])
    func `protocol 3.2: refuses a path that is no pointer`(path: String) {
        #expect(JSONPointer(path: path) == nil)
    }

    @Test func `an index has one spelling`() {
        #expect(JSONPointer.index("0") == 0)
        #expect(JSONPointer.index("10") == 10)
        for text in ["", "-", "-1", "01", "+1", "1e0", " 1", "9223372036854775808", "٣"] {
            #expect(JSONPointer.index(text) == nil)
        }
    }

    @Test func `percent-encoding leads back to the same text`() {
        let text = "ä/~%+ z\0\u{1F984}"

        #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
        #expect(PercentEncoding.decode("a+b") == "a+b")
    }
}
