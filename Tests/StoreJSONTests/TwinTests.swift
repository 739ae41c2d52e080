import StoreTexts
import StoreWire
import Testing

@testable import StoreJSON

/// Texts that are equal in Swift and differ in JSON.
@Suite struct TwinTests {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    private func error<T: Decodable>(_ type: T.Type, _ text: String) -> JSONError? {
        do {
            _ = try value(type, text)
            return nil
        } catch {
            return error as? JSONError
        }
    }

    private enum Level: String, Codable, CodingKeyRepresentable {
        case high = "\u{E9}lev\u{E9}"
        case kelvin = "Kelvin"
    }

    private enum Choice: Codable, Equatable {
        case Kelvin(degrees: Int)
    }

    private struct Word: Codable, Hashable {
        let text: String
    }

    private struct Votes: Codable, Equatable {
        let byName: [String: Int]
    }

    private struct Normal: RawRepresentable, Codable {
        let rawValue: String

        init(rawValue: String) {
            // This type, like types of some programs, allows only one spelling.
            self.rawValue = rawValue == composed ? composed : rawValue
        }
    }

    @Test func `two names that Swift takes for one are refused, with place and advice`() {
        let both = "{\"byName\":{\"\(Self.composed)\":1,\"x\":2,\"\(Self.decomposed)\":3}}"
        let error = error(Votes.self, both)
        #expect(error?.code == .invalid)
        #expect(error?.pointer.isSame(as: "/byName/\(Self.decomposed)") == true)
        #expect(error?.message.contains("ExactText") == true)
        #expect(error?.isParseError == false)
    }

    @Test func `two such names are refused in every form of a dictionary and in sets`() {
        let (one, other) = (Self.composed, Self.decomposed)
        #expect(error([String: Int?].self, "{\"\(one)\":null,\"\(other)\":null}") != nil)
        #expect(error([[String: Int]].self, "[{},{\"K\":1,\"\u{212A}\":2}]")?.pointer == "/1/K")
        #expect(error([Word: Int].self, #"[{"text":"\#(one)"},1,{"text":"\#(other)"},2]"#) != nil)
        #expect(error([Int: Int].self, #"{"1":1,"01":2}"#) != nil)
        #expect(error(Set<String>.self, "[\"\(one)\",\"\(one)\",\"\(other)\"]")?.pointer == "/2")
        #expect(error(Set<Word>.self, #"[{"text":"\#(one)"},{"text":"\#(other)"}]"#) != nil)
        #expect(error([String: Int]?.self, "{\"\(one)\":1,\"\(other)\":2}") != nil)
    }

    @Test func `a name with one spelling is read as before`() throws {
        let (one, other) = (Self.composed, Self.decomposed)
        #expect(try value([String: Int].self, "{\"\(one)\":1,\"b\":2}") == [one: 1, "b": 2])
        #expect(try value([Int: Bool].self, #"{"-1":true,"20":false}"#) == [-1: true, 20: false])
        #expect(try value([Level: Int].self, #"{"Kelvin":3}"#) == [.kelvin: 3])
        #expect(try value([Word: Int].self, #"[{"text":"a"},1,{"text":"b"},2]"#).count == 2)
        #expect(try value([Word: Int].self, "[]").isEmpty)
        #expect(try value(Set<Word>.self, #"[{"text":"a"},{ "text" : "\u0061" }]"#).count == 1)
        #expect(try value(Set<Int>.self, "[1,1.0,2]") == [1, 2])
        let both = try value([ExactText: Int].self, "{\"\(one)\":1,\"\(other)\":2}")
        #expect(both == [ExactText(one): 1, ExactText(other): 2])
    }

    @Test func `names that the type of the keys does not have are refused`() {
        #expect(error([Int: Int].self, #"{"one":1}"#)?.pointer == "/one")
        #expect(error([Level: Int].self, #"{"low":1}"#)?.pointer == "/low")
        #expect(error([Level: Int].self, "{\"\u{212A}elvin\":1}") != nil)
        #expect(error([Word: Int].self, #"[{"text":"a"}]"#)?.pointer.isEmpty == true)
        #expect(error([Word: Int].self, "{}")?.code == .mismatch)
        #expect(error([String: Int].self, "[]")?.code == .mismatch)
        #expect(error(Set<Int>.self, "{}")?.code == .mismatch)
    }

    @Test func `a case is found by its bytes`() throws {
        #expect(try value(Level.self, "\"\u{E9}lev\u{E9}\"") == .high)
        #expect(try value(Level.self, #""\u00e9lev\u00e9""#) == .high)
        #expect(error(Level.self, "\"e\u{301}lev\u{E9}\"")?.code == .invalid)
        #expect(error(Level.self, "\"\u{212A}elvin\"")?.code == .invalid)
        #expect(try value(Choice.self, #"{"Kelvin":{"degrees":1}}"#) == .Kelvin(degrees: 1))
        #expect(error(Choice.self, "{\"\u{212A}elvin\":{\"degrees\":1}}") != nil)
        // A member of another name is passed over, like any unknown member.
        let both = "{\"\u{212A}elvin\":{\"degrees\":1},\"Kelvin\":{\"degrees\":2}}"
        #expect(try value(Choice.self, both) == .Kelvin(degrees: 2))
        #expect(try value(Normal.self, "\"\(Self.decomposed)\"").rawValue.isSame(as: Self.composed))
    }

    @Test func `a member is found by its bytes`() throws {
        struct Names: Decodable, Equatable {
            let first: Int
            let second: Int?

            enum CodingKeys: String, CodingKey {
                case first = "\u{E9}"
                case second = "K"
            }
        }
        #expect(error(Names.self, "{\"e\u{301}\":1}")?.code == .missing)
        let both = try value(Names.self, "{\"\u{E9}\":1,\"e\u{301}\":2,\"\u{212A}\":3}")
        #expect(both == Names(first: 1, second: nil))
    }

    @Test func `pointers are distinguished by their bytes`() {
        let (one, other) = (JSONPointer(tokens: ["\u{E9}"]), JSONPointer(tokens: ["e\u{301}"]))
        #expect(one != other)
        #expect(Set([one, other]).count == 2)
        #expect(JSONPointer(tokens: ["a", "b"]) != JSONPointer(tokens: ["a"]))
    }

    @Test func `a difference shows names that differ in their bytes alone`() throws {
        func lines(_ old: String, _ new: String) throws -> [String] {
            let old = try JSONDocument(parsing: Array(old.utf8), limits: JSONLimits())
            let new = try JSONDocument(parsing: Array(new.utf8), limits: JSONLimits())
            return withExtendedLifetime((old, new)) {
                JSONDifference.lines(from: old.root, to: new.root)
            }
        }
        let (one, other) = (Self.composed, Self.decomposed)
        #expect(try lines("\"\(one)\"", "\"\(other)\"").count == 2)
        #expect(try lines("{\"a\":\"\(one)\"}", "{\"a\":\"\(other)\"}").count == 2)
        #expect(try lines("{\"\(one)\":1}", "{\"\(other)\":1}").count == 2)
        #expect(try lines("[\"\(one)\"]", "[\"\(other)\"]").count == 2)
        #expect(try lines("[\"\(one)\"]", "[\"\(other)\",\"\(one)\"]").count == 1)
        let long = String(repeating: "x", count: 2 * JSONDifference.valueCharactersMax)
        let cut = try lines("\"\(long)\(one)\"", "\"\(long)\(other)\"")
        #expect(cut.count == 2)
        #expect(cut.first?.contains(exactly: "\u{E9}") == true)
        #expect(try lines("{\"\(one)\":1}", "{\"\(one)\":1}").isEmpty)
    }

    @Test func `the long way to encode keeps both of two members`() throws {
        struct ByTurns: Encodable {
            func encode(to encoder: any Encoder) throws {
                var outer = encoder.container(keyedBy: JSONKey.self)
                var one = outer.nestedContainer(keyedBy: JSONKey.self, forKey: .name("a"))
                var other = outer.nestedContainer(keyedBy: JSONKey.self, forKey: .name("b"))
                try one.encode(1, forKey: .name("\u{E9}"))
                try other.encode(2, forKey: .name("x"))
                try one.encode(3, forKey: .name("e\u{301}"))
            }
        }
        let expected = "{\"a\":{\"\u{E9}\":1,\"e\u{301}\":3},\"b\":{\"x\":2}}"
        #expect(try JSONEncoder().encode(ByTurns()) == Array(expected.utf8))
    }

    @Test func `secret members are compared by their bytes`() throws {
        let json = "{\"K\":1,\"\u{212A}\":2}"
        let document = try JSONDocument(parsing: Array(json.utf8), limits: JSONLimits())
        let kept = document.root.json(withoutMembers: ["K"])
        #expect(kept == Array("{\"\u{212A}\":2}".utf8))
    }
}

extension String {
    fileprivate func contains(exactly part: String) -> Bool {
        indices.contains { utf8[$0...].starts(with: part.utf8) }
    }
}
