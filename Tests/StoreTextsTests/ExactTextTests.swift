import StoreJSON
import StoreJSONSchema
import StoreTexts
import Testing

@Suite struct ExactTextTests {
    /// Pairs of texts that are equal as `String`.
    private static let twins: [(String, String)] = [
        ("\u{E9}", "e\u{301}"),
        ("caf\u{E9} au lait, s'il vous pla\u{EE}t", "cafe\u{301} au lait, s'il vous plai\u{302}t"),
        ("\u{212A}", "K"), ("\u{37E}", ";"), ("\u{1FEF}", "`"), ("\u{C5}", "\u{212B}"),
        ("\u{AC00}", "\u{1100}\u{1161}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"),
    ]

    @Test(arguments: twins)
    func `two texts that look alike are two`(twin: (String, String)) {
        #expect(twin.0 == twin.1, "Swift no longer takes them for one: the pair tests nothing")
        #expect(ExactText(twin.0) != ExactText(twin.1))
        #expect(!twin.0.isSame(as: twin.1))
        #expect(ExactText(twin.0) < ExactText(twin.1) || ExactText(twin.1) < ExactText(twin.0))
        #expect([twin.0].contains(exactly: twin.0))
        #expect(![twin.0].contains(exactly: twin.1))
        var both: [ExactText: Int] = [ExactText(twin.0): 0]
        both[ExactText(twin.1)] = 1
        #expect(both == [ExactText(twin.0): 0, ExactText(twin.1): 1])
        #expect(Set([twin.0, twin.1].map { ExactText($0) }).count == 2)
    }

    @Test func `the same bytes are the same text at any address`() {
        for text in ["", "a", "fifteen bytes..", "sixteen bytes...", "\u{E9}", "a\u{0}b"] {
            let copy = String(decoding: Array(text.utf8), as: UTF8.self)
            let part = String(Substring("<" + text + ">").dropFirst().dropLast())
            for other in [copy, part] {
                #expect(ExactText(text) == ExactText(other))
                #expect(ExactText(text).hashValue == ExactText(other).hashValue)
                #expect(text.byteOrder(comparedTo: other) == 0)
            }
        }
    }

    @Test func `the order is that of the bytes`() {
        let texts: [ExactText] = [
            "", "a", "a\u{0}", "ab", "b", "e\u{301}", "z", "\u{E9}", "\u{ffff}", "\u{1f600}",
        ]
        #expect(texts.shuffled().sorted() == texts)
    }

    @Test func `an exact text is a string in JSON, and the name of a member`() throws {
        let twins: [ExactText: Int] = ["\u{E9}": 1, "e\u{301}": 2]
        let written = try JSONEncoder().encode(twins)
        #expect(written == Array("{\"e\u{301}\":2,\"\u{E9}\":1}".utf8))
        #expect(try JSONDecoder().decode([ExactText: Int].self, from: written) == twins)
        let list: [ExactText] = ["\u{E9}", "e\u{301}"]
        #expect(try JSONEncoder().encode(list) == Array("[\"\u{E9}\",\"e\u{301}\"]".utf8))
        let set = try JSONDecoder().decode(Set<ExactText>.self, from: JSONEncoder().encode(list))
        #expect(set.count == 2)
        #expect("\(list[0])" == list[0].text)
    }

    @Test func `an exact text has the schema of a string`() {
        let document = JSONSchemaDocument(of: [ExactText.self, [ExactText: Int].self])
        let plain = JSONSchemaDocument(of: [String.self, [String: Int].self])
        #expect(document.roots == plain.roots)
    }

    @Test func `only ASCII letters become lower-case`() {
        #expect("WWW.Example-1".lowercasedASCII.isSame(as: "www.example-1"))
        #expect("\u{212A}\u{C9}K".lowercasedASCII.isSame(as: "\u{212A}\u{C9}k"))
    }
}
