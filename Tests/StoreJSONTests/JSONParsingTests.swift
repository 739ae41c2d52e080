import Testing

@testable import StoreJSON

@Suite struct JSONParsingTests {
    private func parse(_ text: String, _ limits: JSONLimits = JSONLimits()) throws -> JSONDocument {
        try JSONDocument(parsing: Array(text.utf8), limits: limits)
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "-1.5e-3", "1E+2", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
        "{\"a\":{\"b\":[{}]}}", "\"\\u00e9\\ud83d\\ude00\\/\"", "\t\n\r 1", "\"é漢😀\"",
        "{\"\":1}", "[\"\u{7f}\"]", "123456789012345678901234567890",
    ])
    func `a text that RFC 8259 allows is taken`(text: String) throws {
        let document = try parse(text)
        #expect(document.root.byteRange.count > 0)
    }

    @Test(arguments: [
        ("", 0), ("   ", 3), ("nul", 3), ("truE", 3), ("01", 1), ("-", 1), ("1.", 2), (".5", 0),
        ("1e", 2), ("+1", 0), ("0x1", 1), ("NaN", 0), ("[1,]", 3), ("[1 2]", 3), ("[", 1),
        ("{\"a\"}", 4), ("{\"a\":}", 5), ("{a:1}", 1), ("{\"a\":1,}", 7), ("{\"a\":1 \"b\":2}", 7),
        ("\"", 1), ("\"\\x\"", 1), ("\"\\u12\"", 1), ("\"\\ud800\"", 1), ("\"\\udc00\"", 1),
        ("\"\\ud800\\u0041\"", 1), ("\"a\nb\"", 2), ("1 1", 2), ("[]]", 2), ("'a'", 0),
        ("{\"a\":1,\"a\":2}", 7), ("{\"a\":1,\"\\u0061\":2}", 7), ("//", 0), ("[1]\u{0}", 3),
        ("\u{FEFF}1", 0),
    ])
    func `any other text is refused, at the wrong byte`(text: String, offset: Int) {
        #expect {
            try parse(text)
        } throws: {
            let error = $0 as? JSONError
            return error?.code == .malformed && error?.offset == offset
        }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0xFF, 0x22],
            [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], [0x22, 0xE9],
        ] as [[UInt8]]
    )
    func `a text that is not UTF-8 is refused`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) {
            try JSONDocument(parsing: bytes, limits: JSONLimits())
        }
    }

    @Test func `a document nests as deep as the bound and no deeper`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(64))
        #expect {
            try parse(nested(65))
        } throws: {
            ($0 as? JSONError)?.code == .tooDeep && ($0 as? JSONError)?.offset == 64
        }
        // This depth is far beyond the stack of a recursive reader.
        #expect(throws: JSONError.self) {
            try parse(String(repeating: "[", count: 1_000_000), .unbounded)
        }
    }

    @Test func `a document is as large as the bound and no larger`() throws {
        _ = try parse("[1]", JSONLimits(bytesMax: 3))
        #expect {
            try parse("[12]", JSONLimits(bytesMax: 3))
        } throws: {
            ($0 as? JSONError)?.code == .tooLarge
        }
    }

    @Test func `a key that stands twice among many is found`() throws {
        let keys = (0..<5_000).map { "\"k\($0)\":\($0)" }
        _ = try parse("{" + keys.joined(separator: ",") + "}")
        #expect(throws: JSONError.self) {
            try parse("{" + (keys + ["\"k2500\":0"]).joined(separator: ",") + "}")
        }
    }

    @Test func `every truncation of a document is refused`() throws {
        let text = Array(#"{"a":[1,-2.5e3,true,null,"xé\n"],"b":{"c":{}}}"#.utf8)
        for length in 0..<text.count {
            #expect(throws: JSONError.self) {
                try JSONDocument(parsing: Array(text[..<length]), limits: JSONLimits())
            }
        }
    }

    @Test func `a document gives its members, elements and slices`() throws {
        let root = try parse(#"{"a\n":[1,"x\u0041"],"b":{"c":null}}"#).root
        #expect(root.count == 2)
        #expect(root.members.map(\.name) == ["a\n", "b"])
        #expect(root.member(named: "a\n")?.elements.map(\.kind) == [.number, .string])
        #expect(root.member(named: "a\n")?.elements[1].stringValue == "xA")
        #expect(root.member(named: "b")?.sourceText == #"{"c":null}"#)
        #expect(root.member(named: "c") == nil)
    }
}
