import StoreTestSupport
import Testing

@testable import StoreWire

@Suite struct HeaderTests {
    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"", "application/json ; profile=\"a;\\\"b\"",
        "application/json;", "application/json; ; charset=utf-8",
    ])
    func `protocol 2.4: JSON is recognized in every spelling, parameters allowed`(text: String) {
        #expect(MediaType.isJSON(text))
    }

    @Test(arguments: [
        "", "application", "application/", "/json", "text/json", "application/json, text/plain",
        "application/json charset=utf-8", "application/json; charset", "application/json;charset=",
        "application/json; charset=latin1", "application/jsonp", "application/problem+json",
        "application /json", "application/json; a=\"b", "application/x-www-form-urlencoded",
    ])
    func `protocol 2.4: any other media type is not JSON`(text: String) {
        #expect(!MediaType.isJSON(text))
    }

    @Test func `parameters keep their values and get lower-case names`() {
        let type = MediaType("Text/HTML; Charset=UTF-8; q=\"a \\\\ b\"")

        #expect(type?.type == "text")
        #expect(type?.subtype == "html")
        #expect(
            type?.parameters == [
                MediaType.Parameter(name: "charset", value: "UTF-8"),
                MediaType.Parameter(name: "q", value: "a \\ b"),
            ]
        )
    }

    @Test func `protocol 2.6: preferences are read in any order, spelling and quoting`() {
        let preferences = Preferences("Return=\"representation\" , foo; bar=1, WAIT = 10;x")

        #expect(preferences.returnForm == .representation)
        #expect(preferences.waitSeconds == 10)
    }

    @Test func `the first of two preferences with one name counts`() {
        #expect(Preferences("return=minimal, return=representation").returnForm == .minimal)
        #expect(Preferences("wait=1, wait=2").waitSeconds == 1)
    }

    @Test func `preferences that cannot be read are skipped, and the others stay`() {
        #expect(Preferences("").returnForm == nil)
        #expect(Preferences("wait=-1, return=representation").returnForm == .representation)
        #expect(Preferences("wait=-1").waitSeconds == nil)
        #expect(Preferences("wait=").waitSeconds == nil)
        #expect(Preferences("wait=99999999999999999999").waitSeconds == .max)
        #expect(Preferences("@@@, =,,\"a,b\", wait=3").waitSeconds == 3)
        #expect(Preferences("foo=\"a, wait=9\", wait=3").waitSeconds == 3)
        #expect(Preferences("foo=\"open, wait=9").waitSeconds == nil)
        #expect(Preferences("return=all").returnForm == nil)
    }

    @Test func `the applied preferences are listed`() {
        #expect(Preferences.appliedHeaderValue(returned: nil, waitSeconds: nil) == nil)
        #expect(
            Preferences.appliedHeaderValue(returned: .representation, waitSeconds: 5)
                == "return=representation, wait=5"
        )
    }

    @Test(arguments: [
        ("\"8e03978e\"", "8e03978e"), ("  \"a\"  ", "a"), ("\"\"", ""),
        ("\"a\\\"b\\\\c\"", "a\"b\\c"), ("\"a\";b", "a"),
        ("\"a\"; b=1.5;*c=tok/en:x;d=\"\\\"\";e=?1;f=:aGk=:;g=-3", "a"),
    ])
    func `protocol 2.8: a structured string is read`(text: String, expected: String) {
        #expect(StructuredString.parse(text) == expected)
    }

    @Test(arguments: [
        "", "a", "\"a", "a\"", "\"a\" b", "\"a\", \"b\"", "\"a\\b\"", "\"ä\"", "\"a\tb\"",
        "\"a\"\t", "\"a\";", "\"a\";A", "\"a\";b=", "\"a\";b=?2", "\"a\";b=1.", "\"a\";b=:x",
        "\"a\";b=1234567890123456", "\"a\" ;b",
    ])
    func `protocol 2.8: a text that is no structured string is refused`(text: String) {
        #expect(StructuredString.parse(text) == nil)
    }

    @Test func `a structured string is read with its escapes`() {
        let value = String(String.UnicodeScalarView((0x20...0x7E).compactMap(Unicode.Scalar.init)))

        #expect(StructuredString.parse(quoted(value)) == value)
    }

    /// Returns a string in the form of a structured field.
    private func quoted(_ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    @Test func `a header is read to its end with any content`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        let parts = [
            "\"", "\\", ",", ";", "=", " ", "\t", "W/", "*", "a", "wait", "return", "1", ":", "?",
            "/", "-", ".", "\u{E9}", "\u{0}", "application/json",
        ]
        var read = 0
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                text += parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            if let string = StructuredString.parse(text) {
                read += 1
                #expect(StructuredString.parse(quoted(string)) == string)
            }
            if let condition = EntityTagCondition(text), case .list(let tags) = condition {
                read += 1
                let again = tags.map(\.description).joined(separator: ", ")
                #expect(EntityTagCondition(again) == condition)
            }
            if let type = MediaType(text) {
                read += 1
                #expect(MediaType("\(type.type)/\(type.subtype)") != nil)
            }
            if Preferences(text).waitSeconds != nil { read += 1 }
        }
        #expect(read > 100)
    }
}
