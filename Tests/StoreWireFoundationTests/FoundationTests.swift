import Foundation
import StoreJSON
import StoreTestSupport
import StoreWireFoundation
import Testing

@Suite struct FoundationTests {
    struct Values: Codable, Equatable {
        var date = Date(timeIntervalSince1970: 1_795_230_429)
        var data = Data([0, 255, 127, 1])
        var url = URL(string: "https://example.org/a?b=c#d")
        var decimal = Decimal(string: "12345.678")
        var whole = Decimal(7)
        var id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        var dates = ["a": Date(timeIntervalSince1970: 0)]
    }

    @Test func `Foundation's types are written as Foundation writes them, and read back`() throws {
        let values = Values()
        let theirs = Foundation.JSONEncoder()
        theirs.dateEncodingStrategy = .iso8601
        theirs.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let own = try StoreJSON.JSONEncoder(adapters: .foundation).encode(values)
        let parsed = try JSONSerialization.jsonObject(with: Data(own)) as? NSDictionary
        let expected =
            try JSONSerialization.jsonObject(with: theirs.encode(values)) as? NSDictionary
        #expect(parsed == expected)
        #expect(
            try StoreJSON.JSONDecoder(adapters: .foundation).decode(Values.self, from: own)
                == values
        )
    }

    @Test func `the error of a scalar of the wrong kind has the expected kind`() {
        #expect {
            try StoreJSON.JSONDecoder(adapters: .foundation).decode(
                [Date].self,
                from: Array("[\"2026-11-21T03:07:09Z\",5]".utf8)
            )
        } throws: {
            let error = $0 as? JSONError
            return error?.pointer == "/1" && error?.offset == 24
                && error?.expected?.contains("ISO 8601") == true
        }
    }

    struct Item: Codable, Equatable {
        var id: Int
        var title: String
        var done: Bool?
        var score: Double
        var tags: [String]
        var counts: [String: UInt8]
        var nested: [Item]
    }

    private func item(_ random: inout some RandomNumberGenerator, depth: Int) -> Item {
        let letters = Array("abc\"\\/\u{8}\u{c}\n\r\t\u{1}é漢😀\u{2028} ")
        func text(_ length: Int) -> String {
            String((0..<length).map { _ in letters.randomElement(using: &random) ?? "x" })
        }
        return Item(
            id: Int.random(in: .min ... .max, using: &random)
                >> Int.random(in: 0..<64, using: &random),
            title: text(Int.random(in: 0..<20, using: &random)),
            done: [true, false, nil].randomElement(using: &random) ?? nil,
            score: Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
                .finite(or: Double.random(in: -1e3...1e3, using: &random)),
            tags: (0..<Int.random(in: 0..<4, using: &random)).map { _ in text(5) },
            counts: Dictionary(
                (0..<Int.random(in: 0..<4, using: &random)).map { (text(3), UInt8($0)) },
                uniquingKeysWith: { first, _ in first }
            ),
            nested: depth == 0
                ? []
                : (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    item(&random, depth: depth - 1)
                }
        )
    }

    @Test func `generated values mean the same to both codecs, in both directions`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        for round in 0..<300 {
            let value = item(&random, depth: 3)
            let comment = Comment("seed \(seed), round \(round)")
            let own = try StoreJSON.JSONEncoder().encode(value)
            let theirs = try Foundation.JSONEncoder().encode(value)
            #expect(try StoreJSON.JSONEncoder().encode(value) == own, comment)
            #expect(try StoreJSON.JSONDecoder().decode(Item.self, from: own) == value, comment)
            #expect(
                try StoreJSON.JSONDecoder().decode(Item.self, from: Array(theirs)) == value,
                comment
            )
            #expect(
                try Foundation.JSONDecoder().decode(Item.self, from: Data(own)) == value,
                comment
            )
        }
    }

    private func hasHugeNumber(_ node: JSONNode) -> Bool {
        switch node.kind {
        case .number: Double(node.sourceText)?.isFinite != true
        case .array: node.elements.contains(where: hasHugeNumber)
        case .object: node.members.contains { hasHugeNumber($0.value) }
        default: false
        }
    }

    @Test func `a text that Foundation's strict parser refuses is never taken`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let sample = Array(#"{"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{"c":"é"},"d":[]}"#.utf8)
        let alphabet = Array(#"{}[],:"\u0123e+-. tfn"#.utf8) + [0, 9, 10, 31, 127, 128, 195, 255]
        for round in 0..<20_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = alphabet.randomElement(using: &random) ?? 0
                case 1: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let own = try? JSONDocument(parsing: bytes, limits: JSONLimits()) else {
                continue
            }
            // Foundation refuses a number for its size, too, and the size is no part of the syntax.
            if hasHugeNumber(own.root) { continue }
            let theirs = try? JSONSerialization.jsonObject(
                with: Data(bytes),
                options: .fragmentsAllowed
            )
            #expect(
                theirs != nil,
                "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self))"
            )
        }
    }
}

extension Double {
    fileprivate func finite(or other: Double) -> Double { isFinite ? self : other }
}
