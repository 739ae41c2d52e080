import StoreJSON
import Testing

@testable import StoreHTTP
@testable import StorePublishing
@testable import StoreServer

@Suite struct ParsedDocumentsTests {
    private let documents = ParsedDocuments()

    private func bytes(of count: Int) -> Bytes {
        Bytes(utf8: "[\"" + String(repeating: "x", count: count) + "\",7]")
    }

    private let seven = JSONPointer(tokens: ["1"])

    @Test func `a large document is parsed once, off the event loop`() throws {
        let large = bytes(of: ParsedDocuments.quickBytesMax)
        #expect(documents.cheapDocument(of: large) == nil)
        let document = try #require(documents.document(of: large))
        #expect(documents.cheapDocument(of: large) === document)
        #expect(documents.document(of: large) === document)
        #expect(document.part(at: seven) == Bytes(utf8: "7"))
        #expect(document.part(at: JSONPointer(tokens: ["2"])) == nil)
    }

    @Test func `a small document is parsed at every request, and not kept`() {
        let small = bytes(of: 10)
        #expect(documents.cheapDocument(of: small)?.part(at: seven) == Bytes(utf8: "7"))
        #expect(documents.memoryBytes == 0)
    }

    @Test func `the document used longest ago makes room, and memory is bounded`() {
        let size = ParsedDocuments.bytesMax / 8
        let all = (0..<20).map { _ in bytes(of: size) }
        for bytes in all { _ = documents.document(of: bytes) }
        #expect(documents.memoryBytes <= ParsedDocuments.bytesMax)
        #expect(documents.cheapDocument(of: all[19]) != nil)
        #expect(documents.cheapDocument(of: all[0]) == nil)
        let huge = bytes(of: 2 * ParsedDocuments.bytesMax)
        _ = documents.document(of: huge)
        #expect(documents.cheapDocument(of: huge) != nil, "a single one may be larger")
        #expect(documents.cheapDocument(of: all[19]) == nil)
    }

    @Test func `a text that is no document has none`() {
        #expect(documents.document(of: Bytes(utf8: "[")) == nil)
    }
}
