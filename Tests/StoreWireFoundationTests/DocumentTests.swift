import Foundation
import StoreJSON
import Testing

/// Difficult documents as files, whose names begin with the verdict: `accept` or `reject`. RFC 8259
/// leaves lone surrogates, repeated keys and depth open. For these, the verdict is a decision of
/// StoreJSON.
@Suite struct DocumentTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Documents")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    }

    @Test(arguments: try names())
    func `a document is taken or refused as its file is named`(name: String) throws {
        let bytes = try Array(Data(contentsOf: Self.folder.appending(path: name)))
        let error: JSONError?
        do {
            _ = try JSONDocument(parsing: bytes, limits: JSONLimits())
            error = nil
        } catch let refusal {
            error = refusal
        }
        switch name.prefix(while: { $0 != "-" }) {
        case "accept":
            #expect(error == nil)
            #expect(Self.foundationTakes(bytes) == !Self.beyondDouble.contains(name))
        case "reject":
            #expect(error?.isParseError == true)
            #expect((0...bytes.count).contains(error?.offset ?? -1))
        default:
            Issue.record("The name has no verdict.")
        }
    }

    @Test func `documents of each verdict are there`() throws {
        let names = try Self.names()
        #expect(names.filter { $0.hasPrefix("accept-") }.count >= 30)
        #expect(names.filter { $0.hasPrefix("reject-") }.count >= 80)
    }

    private static func foundationTakes(_ bytes: [UInt8]) -> Bool {
        let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        return value != nil
    }

    /// Foundation refuses numbers that no `Double` holds, though they are JSON.
    private static let beyondDouble = [
        "accept-number-huge-exponent.json",
        "accept-number-exponent-of-20-digits.json", "accept-number-of-1000-digits.json",
    ]
}
