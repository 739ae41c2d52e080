import StoreTexts
import Testing

@testable import StoreJSON

@Suite struct JSONPointerTests {
    @Test(arguments: [
        ("", []), ("/", [""]), ("/foo/0", ["foo", "0"]), ("/a~1b", ["a/b"]), ("/m~0n", ["m~n"]),
        ("/~01", ["~1"]), ("//", ["", ""]), ("/c%d", ["c%d"]), ("/ ", [" "]),
        ("/\u{301}a", ["\u{301}a"]),
    ])
    func `RFC 6901: the string form is read and written`(text: String, tokens: [String]) {
        let pointer = JSONPointer(text)

        #expect(pointer?.tokens == tokens)
        #expect(pointer?.description == text)
    }

    @Test(arguments: ["a", "~", "/~", "/~2", "/a~", "0/", " /", "#/a"])
    func `RFC 6901: a text that is no pointer is refused`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test(arguments: [
        ("", []), ("/", [""]), ("/todos/items/0", ["todos", "items", "0"]), ("/a%2Fb", ["a/b"]),
        ("/a~1b", ["a/b"]), ("/a%7E1b", ["a/b"]), ("/%C3%A4", ["ä"]), ("/a+b", ["a+b"]),
        ("/%00", ["\0"]),
    ])
    func `protocol 3.2: a pointer is read from the path of a request`(
        path: String,
        tokens: [String]
    ) {
        #expect(JSONPointer(path: path)?.tokens == tokens)
    }

    @Test(arguments: ["/%", "/%4", "/%zz", "/%C3", "/%ED%A0%80", "/%C0%AF", "/a~2", "a"])
    func `protocol 3.2: a path that is no pointer is refused`(path: String) {
        #expect(JSONPointer(path: path) == nil)
    }

    @Test func `an index has one spelling`() {
        #expect(JSONPointer.arrayIndex("0") == 0)
        #expect(JSONPointer.arrayIndex("10") == 10)
        for text in ["", "-", "-1", "01", "+1", "1e0", " 1", "9223372036854775808", "٣"] {
            #expect(JSONPointer.arrayIndex(text) == nil)
        }
    }

    @Test func `percent-encoding leads back to the same text`() {
        let text = "ä/~%+ z\0\u{1F984}"

        #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
        #expect(PercentEncoding.decode("a+b") == "a+b")
    }

    /// The document of RFC 6901 §5, with one member more.
    private static let sample = """
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8,\
        "n":{"0":9}}
        """

    @Test(arguments: [
        ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"),
        ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"), ("/n/0", "9"),
        ("/foo", "[\"bar\",\"baz\"]"),
    ])
    func `RFC 6901 §5: a pointer finds its value`(text: String, json: String) throws {
        let document = try JSONDocument(
            parsing: Array(JSONPointerTests.sample.utf8),
            limits: JSONLimits()
        )
        let pointer = try #require(JSONPointer(text))

        #expect(pointer.find(in: document)?.sourceText == json)
    }

    @Test(arguments: ["/foo/2", "/foo/-", "/foo/00", "/foo/bar", "/foo/0/0", "/x", "/n/1", "//"])
    func `a pointer to nothing finds nothing`(text: String) throws {
        let document = try JSONDocument(
            parsing: Array(JSONPointerTests.sample.utf8),
            limits: JSONLimits()
        )
        let pointer = try #require(JSONPointer(text))

        #expect(pointer.find(in: document) == nil)
    }
}
