import StoreTestSupport
import Testing

@testable import StoreJSON

/// The order of a dictionary's members: the order of their names' bytes.
@Suite struct DictionaryOrderTests {
    /// Returns names that differ early, late, in length alone, and by a NUL at their end.
    private func names(_ random: inout SplitMix) -> Set<String> {
        let letters = ["a", "b", "A", "ä", "\u{10FFFF}", "\u{0}", "0"]
        return Set(
            (0..<300).map { _ in
                let length = Int.random(in: 0...12, using: &random)
                let name = (0..<length).map { _ in letters.randomElement(using: &random) ?? "" }
                return (Bool.random(using: &random) ? "abcdefg" : "") + name.joined()
            }
        )
    }

    @Test(arguments: 0..<20)
    func `names stand in the order of their bytes`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        // Swift compares names by canonical equivalence. No two of these names are equivalent.
        let names = names(&random)
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
        let text = String(decoding: try JSONEncoder().encode(dictionary), as: UTF8.self)
        let members = try sorted.map { name in
            let quoted = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            return "\(quoted):\(quoted)"
        }
        #expect(text == "{\(members.joined(separator: ","))}", "seed \(seed)")
    }

    @Test func `numbers stand in their own order`() throws {
        let numbers = [10: "c", 9: "b", -1: "a", 100: "d"]
        let text = String(decoding: try JSONEncoder().encode(numbers), as: UTF8.self)
        #expect(text == #"{"-1":"a","9":"b","10":"c","100":"d"}"#)
    }
}
