import StoreCore
import StoreJSON
import StoreTesting
import Testing

@Suite struct TableTests {
    private struct Card: Codable, Equatable, Sendable {
        var title = ""
        var votes = 0
    }

    private struct CardID: RawRepresentable, TableKey, Equatable {
        let rawValue: String

        init?(rawValue: String) {
            guard rawValue.hasPrefix("card-") else { return nil }
            self.rawValue = rawValue
        }
    }

    private typealias Cards = Table<String, Card>

    /// Names with the same look, with escapes, and empty.
    private static let names =
        ["", "/", "~", "\"", "\\", "\u{E9}", "e\u{301}", "\n", "🙂"] + (0..<200).map { "k\($0)" }

    private func sorted(_ model: [ExactText: Card]) -> [(String, Card)] {
        model.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }

    private func isSame(_ table: Cards, _ model: [ExactText: Card]) -> Bool {
        table.count == model.count
            && zip(table, sorted(model)).allSatisfy { $0.key.isSame(as: $1.0) && $0.value == $1.1 }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a table is a dictionary sorted by bytes, and copies stay the same`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var table = Cards()
        var model: [ExactText: Card] = [:]
        var older: [(Cards, [ExactText: Card])] = []
        for step in 0..<2_000 {
            let name = try #require(Self.names.randomElement(using: &random))
            let key = ExactText(name)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: #expect(table.removeValue(forKey: name) == model.removeValue(forKey: key))
            case 1:
                let card = Card(title: name, votes: step)
                let old = model.updateValue(card, forKey: key)
                #expect(table.updateValue(card, forKey: name) == old)
            case 2:
                table[name]?.votes += 1
                model[key]?.votes += 1
            case 3:
                table[name, default: Card()].votes += 2
                model[key, default: Card()].votes += 2
            case 4:
                let removed = Int.random(in: 0..<50, using: &random)
                table.removeAll { $0.value.votes == removed }
                model = model.filter { $0.value.votes != removed }
            default:
                table[name] = Card(title: "set", votes: step)
                model[key] = Card(title: "set", votes: step)
            }
            #expect(table[name] == model[key])
            #expect(table.contains(name) == (model[key] != nil))
            if step.isMultiple(of: 100) { older.append((table, model)) }
        }
        #expect(isSame(table, model), "seed \(seed)")
        for (table, model) in older { #expect(isSame(table, model), "seed \(seed)") }
        #expect(table == Cards(sorted(model)))
        #expect(table.first?.key == sorted(model).first?.0)
        #expect(table.last?.key == sorted(model).last?.0)
        let isLow = { (card: Card) in card.votes < 1_000 }
        #expect(isSame(table.filter { isLow($0.value) }, model.filter { isLow($0.value) }))
        #expect(table.mapValues(\.votes).values.elementsEqual(table.map(\.value.votes)))
    }

    @Test func `a range begins at the first key that is not before its beginning`() {
        let table = Table(["b", "d", "f", "h"].map { ($0, $0 + "!") })
        for (from, upTo, expected) in [
            (nil, nil, "bdfh"), ("a", nil, "bdfh"), ("b", nil, "bdfh"), ("c", nil, "dfh"),
            ("c", "f", "d"), ("c", "g", "df"), ("h", nil, "h"), ("i", nil, ""), ("d", "d", ""),
            (nil, "d", "b"), ("f", "b", ""),
        ] as [(String?, String?, String)] {
            let rows = table.rows(from: from, upTo: upTo)
            #expect(rows.map(\.key).joined() == expected, "\(from ?? "-") to \(upTo ?? "-")")
        }
        let many = Table((0..<1_000).map { (String(10_000 + $0), $0) })
        for first in 0..<1_000 {
            #expect(many.rows(from: String(10_000 + first)).first { _ in true }?.value == first)
        }
    }

    @Test func `two tables are equal by their rows and by the bytes of their keys`() {
        let table: Cards = ["a": Card(title: "x"), "b": Card()]
        #expect(table == ["b": Card(), "a": Card(title: "x")])
        #expect(table != ["a": Card(title: "x")])
        #expect(table != ["a": Card(title: "y"), "b": Card()])
        #expect(table != ["a": Card(title: "x"), "c": Card()])
        #expect(["\u{E9}": Card()] as Cards != ["e\u{301}": Card()])
        #expect(Cards() == [:])
    }

    @Test func `a later row of a key replaces an earlier row, or is combined with it`() throws {
        let pairs = [("a", 1), ("b", 2), ("a", 3)]
        #expect(Table(pairs) == ["a": 3, "b": 2])
        #expect(Table(pairs, uniquingKeysWith: +) == ["a": 4, "b": 2])
        let cards = [Card(title: "a"), Card(title: "b")]
        #expect(Table(cards, by: \.title).keys.elementsEqual(["a", "b"]))
        #expect("\(Table(pairs))" == "[a: 3, b: 2]")
        #expect("\(Cards())" == "[:]")
    }

    @Test func `a table is read and written as an object`() throws {
        let table: Cards = [
            "b": Card(votes: 2), "a": Card(votes: 1), "\u{E9}": Card(), "e\u{301}": Card(),
        ]
        let json = try JSONEncoder().encode(table)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"a":{"title":"","votes":1},"b":{"title":"","votes":2},"#
                + "\"e\u{301}\":{\"title\":\"\",\"votes\":0},\"\u{E9}\":{\"title\":\"\",\"votes\":0}}"
        )
        #expect(try JSONDecoder().decode(Cards.self, from: json) == table)
    }

    @Test func `a name that is no key of the table is refused with its reason`() throws {
        let json = Array(#"{"card-1":1,"7":2}"#.utf8)
        let error = #expect(throws: JSONError.self) {
            try JSONDecoder().decode(Table<CardID, Int>.self, from: json)
        }
        #expect(error?.message == #"The name "7" is no key of the table."#)
        let one = Array(#"{"card-1":1}"#.utf8)
        let fine = try JSONDecoder().decode(Table<CardID, Int>.self, from: one)
        #expect(fine.first?.key == CardID(rawValue: "card-1"))
    }
}
