import StoreCurl
import StoreTraceExport
import Testing

@Suite struct ExportHeadersTests {
    @Test func `a file has a field in each line`() throws {
        let text = "# of the vendor\nAuthorization: Bearer a:b \r\n\n  X-Scope-OrgID:7\n"
        let fields = try ExportHeaders(Array(text.utf8)).fields.fields
        #expect(fields.map(\.name) == ["Authorization", "X-Scope-OrgID"])
        #expect(fields.map(\.value) == ["Bearer a:b", "7"])
    }

    @Test(arguments: [
        ("secret", "line 1 is no header field"),
        ("\nA b: secret", "line 2 is no header field that can be sent"),
        ("A: secret\u{1}", "line 1 is no header field that can be sent"),
        (": secret", "line 1 is no header field that can be sent"),
        ("Authorization:", "line 1 is no header field that can be sent"),
        ("content-TYPE: secret", "line 1: the server sets content-TYPE by itself"),
    ])
    func `a field that can't be sent is refused, without its value`(text: String, problem: String) {
        do {
            _ = try ExportHeaders(Array(text.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.description.hasPrefix(problem), "\(error)")
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func `a file that is no text, or has too much, is refused`() {
        let many = String(repeating: "A: b\n", count: ExportHeaders.fieldsMax + 1)
        #expect(throws: ExportHeaders.FileError.self) { try ExportHeaders(Array(many.utf8)) }
        #expect(throws: ExportHeaders.FileError.self) { try ExportHeaders([0xFF]) }
    }
}
