import StoreCore
import StoreTesting
import Testing

@testable import StoreJSON
@testable import StorePublishing
@testable import StoreServer

/// Documents with tables, compared with documents that are encoded whole.
@Suite struct TableEncodingTests {
    private struct Card: Codable, Equatable, Sendable {
        var title = ""
        var tags: [String] = []
        var notes: Table<String, Int>?
    }

    private struct Column: Codable, Equatable, Sendable {
        var id: String?
        var cards: Table<String, Card> = [:]
    }

    private struct Board: Codable, Equatable, Sendable {
        var title = "board"
        var cards: Table<String, Card> = [:]
        var columns: [Column] = []
        var more: [String: Table<String, Int>] = [:]
        var spare: Table<String, Card>?
        var plain: [String: Int] = [:]
    }

    private static let names =
        ["", "a/b", "a~b", "\"", "\u{E9}", "e\u{301}", "\n"] + (0..<20).map { "k\($0)" }

    private func change(_ table: inout Table<String, Card>, using random: inout SeededRandom) {
        guard let name = Self.names.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: table[name] = nil
        case 1: table[name]?.tags.append("t")
        case 2: table[name]?.title = "e\u{301}"
        case 3: table[name]?.notes = ["n": Int.random(in: 0..<3, using: &random)]
        default: table[name] = Card(title: ["\u{E9}", "x"].randomElement(using: &random) ?? "")
        }
    }

    private func change(_ board: inout Board, using random: inout SeededRandom) {
        let index = Int.random(in: 0..<3, using: &random)
        let id = ["a", "b", nil].randomElement(using: &random) ?? nil
        switch Int.random(in: 0..<9, using: &random) {
        case 0: board.title += "!"
        case 1: board.columns.insert(Column(id: id), at: 0)
        case 2: if !board.columns.isEmpty { board.columns.removeLast() }
        case 3 where index < board.columns.count:
            change(&board.columns[index].cards, using: &random)
        case 4: board.more["m\(index)", default: [:]]["n"] = Int.random(in: 0..<3, using: &random)
        case 5: board.more["m\(index)"] = nil
        case 6: board.spare = index == 0 ? nil : board.cards
        case 7: board.plain["p\(index)"] = index
        default: for _ in 0...index { change(&board.cards, using: &random) }
        }
    }

    private func text(_ bytes: Bytes) -> String { String(decoding: bytes.array, as: UTF8.self) }

    private func whole(_ value: some Encodable) throws -> Bytes {
        Bytes(try JSONEncoder().encode(value))
    }

    private func patch(_ old: Bytes, _ new: Bytes) throws -> String {
        text(try JSONPatch.diff(of: [.init(at: .root, from: old, to: new)]))
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `bytes, comparisons, patches and parts are the same as of whole documents`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let documents = ParsedDocuments()
        var board = Board()
        var older: [(shared: Bytes, whole: Bytes)] = []
        var old = (shared: try JSONEncoder().encodeShared(board), whole: try whole(board))
        for _ in 0..<120 {
            for _ in 0...Int.random(in: 0..<3, using: &random) { change(&board, using: &random) }
            let new = (shared: try JSONEncoder().encodeShared(board), whole: try whole(board))
            #expect(new.shared.outlined != nil)
            #expect(new.shared.count == new.whole.count)
            #expect((new.shared == old.shared) == (new.whole == old.whole), "seed \(seed)")
            let expected = try patch(old.whole, new.whole)
            #expect(try patch(old.shared, new.shared) == expected, "seed \(seed)")
            if let other = older.randomElement(using: &random) {
                #expect(try patch(other.shared, new.shared) == (try patch(other.whole, new.whole)))
                #expect((new.shared == other.shared) == (new.whole == other.whole))
            }
            for name in Self.names.shuffled(using: &random).prefix(3) + ["nothing"] {
                for tokens in [
                    ["cards", name], ["cards", name, "title"], ["columns", "0", "cards", name],
                    ["more", "m0", "n"], ["spare", name, "tags", "0"], ["cards"], ["columns"],
                    ["more"], [name],
                ] {
                    let pointer = JSONPointer(tokens: tokens)
                    let part = documents.part(at: .inDocument(new.shared, pointer))
                    let expected = ParsedDocuments().part(at: .inDocument(new.whole, pointer))
                    #expect(part.map(text) == expected.map(text), "\(pointer), seed \(seed)")
                }
            }
            if Bool.random(using: &random) {
                #expect(text(new.shared) == text(new.whole), "seed \(seed)")
            } else {
                older.append(new)
            }
            old = new
        }
        for (shared, whole) in older { #expect(text(shared) == text(whole), "seed \(seed)") }
    }

    /// Counts the encodings of rows.
    private struct Counted: Codable, Equatable, Sendable {
        nonisolated(unsafe) static var count = 0
        var number = 0

        init(_ number: Int) { self.number = number }
        init(from decoder: any Decoder) throws { number = try Int(from: decoder) }

        func encode(to encoder: any Encoder) throws {
            Self.count += 1
            try number.encode(to: encoder)
        }
    }

    @Test func `after a change only the changed row is encoded, and only it is new`() throws {
        var table = Table((0..<1_000).map { (String(1_000 + $0), Counted($0)) })
        let first = try JSONEncoder().encodeShared(table)
        #expect(Counted.count == 1_000)
        table["1500"] = Counted(7)
        let second = try JSONEncoder().encodeShared(table)
        #expect(Counted.count == 1_001)
        #expect(second.byteCount(notSharedWith: first) == 3)
        #expect(try JSONEncoder().encodeShared(table) == second)
        #expect(try patch(first, second) == #"[{"op":"replace","path":"/1500","value":7}]"#)
        table["1500"] = nil
        let third = try JSONEncoder().encodeShared(table)
        #expect(try patch(second, third) == #"[{"op":"remove","path":"/1500"}]"#)
        #expect(Counted.count == 1_001)
        #expect(first.outlined?.isJoined == false && third.outlined?.isJoined == false)
    }

    private struct Unencodable: Codable, Equatable, Sendable {
        var number = 0.0
    }

    @Test func `the error of a row has its pointer, and the next encoding succeeds`() throws {
        var rows: [String: Table<String, Unencodable>] = [
            "t": ["a": Unencodable(), "b": Unencodable()]
        ]
        rows["t"]?["b"]?.number = .infinity
        let error = #expect(throws: JSONError.self) { try JSONEncoder().encodeShared(rows) }
        #expect(error?.pointer == "/t/b/number")
        rows["t"]?["b"]?.number = 1
        let shared = try JSONEncoder().encodeShared(rows)
        #expect(text(shared) == #"{"t":{"a":{"number":0},"b":{"number":1}}}"#)
    }

    /// Writes one key twice, which needs the slow path of the encoder.
    private struct Twice: Codable, Equatable, Sendable {
        enum CodingKeys: CodingKey { case number }
        var number = 1

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(0, forKey: .number)
            try container.encode(number, forKey: .number)
        }
    }

    @Test func `a row that needs the slow path is encoded like any other row`() throws {
        let table: Table<String, Twice> = ["a": Twice(), "b": Twice(number: 2)]
        let shared = try JSONEncoder().encodeShared([table])
        #expect(text(shared) == #"[{"a":{"number":1},"b":{"number":2}}]"#)
        #expect(shared.outlined != nil)
    }

    /// Ignores the error of its table.
    private struct Forgiving: Encodable {
        enum CodingKeys: CodingKey { case first, second }
        let table: Table<String, Unencodable>

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try? container.encode([Table<String, Int>(), ["a": 1]], forKey: .first)
            do { try container.encode([[:], table], forKey: .second) } catch {}
            try container.encode(7, forKey: .second)
        }
    }

    @Test func `a table of a dropped value is dropped`() throws {
        let value = Forgiving(table: ["x": Unencodable(number: .nan)])
        #expect(text(try JSONEncoder().encodeShared(value)) == text(try whole(value)))
    }

    @Test func `tables in a sorted array are encoded whole`() throws {
        let value: [Double: Table<String, Int>] = [2.5: ["b": 1], 1.5: ["c": 2, "a": 3]]
        let shared = try JSONEncoder().encodeShared(value)
        #expect(shared.outlined == nil)
        #expect(text(shared) == text(try whole(value)))
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `a window of a table is the window of the whole object`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var table: Table<String, Card> = [:]
        for _ in 0..<200 {
            change(&table, using: &random)
            let shared = try JSONEncoder().encodeShared(table)
            #expect(shared.rows != nil)
            let from = (Self.names + ["k1x", "zz"]).randomElement(using: &random)
            let window = MemberWindow(
                from: Bool.random(using: &random) ? from : nil,
                limit: Int.random(in: 1...8, using: &random)
            )
            let content = try #require(shared.content(of: window))
            let expected = try #require(try whole(table).content(of: window))
            #expect(text(content.object) == text(expected.object), "seed \(seed)")
            #expect(content.nextName == expected.nextName)
            let names = table.map { ExactText($0.key) }
                .filter { key in window.startName.map { $0 <= key } ?? true }
            let document = try content.object.parseDocument()
            #expect(
                document.root.members.map { ExactText($0.name) }
                    == Array(names.prefix(window.limit))
            )
            #expect(content.nextName == names.dropFirst(window.limit).first?.text)
        }
    }

    @Test func `a window sorts the members of an object, and other values have none`() throws {
        let object = Bytes(utf8: #"{"b":1,"a":{"x":[2]},"c":3}"#)
        let first = try #require(object.content(of: MemberWindow(from: nil, limit: 2)))
        #expect(text(first.object) == #"{"a":{"x":[2]},"b":1}"#)
        #expect(first.nextName == "c")
        let last = try #require(object.content(of: MemberWindow(from: "c", limit: 2)))
        #expect(text(last.object) == #"{"c":3}"# && last.nextName == nil)
        let empty = try #require(object.content(of: MemberWindow(from: "d", limit: 2)))
        #expect(text(empty.object) == "{}")
        for other in ["[1]", "7", "null", "\"a\""] {
            #expect(Bytes(utf8: other).content(of: MemberWindow(from: nil, limit: 1)) == nil)
        }
    }
}
