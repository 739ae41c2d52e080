import Testing

@testable import Wire

@Suite struct EnumFormTests {
    private enum Plain: Codable {
        case raised
        case moved(to: Int, by: String?)
        case said(String)
    }

    private enum Named: Codable {
        case raised
        case lowered(by: Int)

        enum CodingKeys: String, CodingKey {
            case raised = "up"
            case lowered = "down"
        }
    }

    private enum Raw: String, Codable {
        case oiled
        case cleaned = "wiped"
    }

    private enum Sole: Codable { case only }

    private enum Numbered: Int, Codable { case one, two }
    private enum Slashed: String, Codable { case half = "a/b" }
    private enum Quoted: String, Codable { case quoted = "a\"b" }

    private struct One: Codable { var x = 0 }

    /// Written as numbers by its own code.
    private enum Own: Codable {
        case one, two

        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(Int.self) == 1 ? .one : .two
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self == .one ? 1 : 2)
        }
    }

    /// Read as the compiler would, and written otherwise.
    private enum TwoFaced: String, Codable {
        case one, two

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self == .one ? 1 : 2)
        }
    }

    /// Forwards to another enum.
    private struct Wrapper: Codable { var plain: Plain }

    private func names<T: Codable>(_ type: T.Type) throws -> [String] {
        try EnumForm(of: type).cases.map(\.name)
    }

    private func refusal<T: Codable>(_ type: T.Type) -> String? {
        do {
            _ = try EnumForm(of: type)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `cases have the names under which they are coded`() throws {
        #expect(try names(Plain.self) == ["raised", "moved", "said"])
        #expect(try names(Named.self) == ["up", "down"])
        #expect(try names(Raw.self) == ["oiled", "wiped"])
        #expect(try names(Sole.self) == ["only"])
    }

    @Test func `payloads hold the associated values`() throws {
        let cases = try EnumForm(of: Plain.self).cases
        #expect(cases.map(\.isBare) == [true, false, false])
        #expect(cases[1].payload.needed(of: ["by", "to"]) == "to")
        #expect(cases[1].payload.needed(of: ["by"]) == nil)
        #expect(try EnumForm(of: Raw.self).cases.allSatisfy(\.isBare))
    }

    @Test func `a type whose cases have no names is refused with what to do`() throws {
        #expect(refusal(One.self)?.contains("One is no enum; make it one") == true)
        #expect(refusal(Wrapper.self)?.contains("is no enum") == true)
        #expect(refusal(Numbered.self)?.contains("as numbers; give it no raw values") == true)
        #expect(refusal(Own.self)?.contains("its Codable is its own") == true)
        #expect(refusal(TwoFaced.self)?.contains("its Codable is its own") == true)
        #expect(refusal(Slashed.self)?.contains("writes a case as 'a/b'") == true)
        #expect(refusal(Quoted.self)?.contains("without slashes, quotes") == true)
    }

    @Test func `an action's payload has the schema of its case`() throws {
        let forms = [
            ActionForm("m/moved", Plain.self, caseName: "moved"),
            ActionForm("m/oiled", Raw.self, caseName: "oiled"),
        ]
        let definitions = JSONSchema.storeDefinitions(state: One.self, actions: forms)
        let oiled = try #require(definitions.first { $0.name == "payload.m.oiled" })
        #expect(oiled.schema == .object([]))
        let moved = try #require(definitions.first { $0.name == "payload.m.moved" })
        #expect(moved.schema.needed(of: ["to"]) == "to")
    }
}
