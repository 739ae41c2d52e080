import Testing

@testable import StoreJSONSchema

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

    /// An enum with one whole name.
    private enum Whole: Codable {
        case raised
        case lowered(by: Int)

        enum CodingKeys: String, CodingKey {
            case raised
            case lowered = "/LowerRequested"
        }
    }

    private enum WholeRaw: String, Codable { case oiled = "/Oiled" }

    private enum Sole: Codable { case only }

    private enum Numbered: Int, Codable { case one, two }
    private enum Slashed: String, Codable { case half = "a/b" }
    private enum Far: String, Codable { case off = "/a/b" }
    private enum Doubled: String, Codable { case slash = "//b" }
    private enum Ending: String, Codable { case slash = "/b/" }
    private enum Empty: String, Codable { case slash = "/" }
    private enum Quoted: String, Codable { case quoted = "a\"b" }

    private struct One: Codable { var x = 0 }

    /// An enum that its own code writes as numbers.
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

    /// An enum that is read like a synthesized enum, and written in another form.
    private enum TwoFaced: String, Codable {
        case one, two

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self == .one ? 1 : 2)
        }
    }

    /// A struct that forwards to another enum.
    private struct Wrapper: Codable { var plain: Plain }

    private func keys<T: Codable>(_ type: T.Type) throws -> [String] {
        try ActionEnumCases(of: type).cases.map(\.key)
    }

    private func refusal<T: Codable>(
        _ type: T.Type,
        prefixed: ActionEnumCases.PrefixedActionKind? = nil
    ) -> String? {
        do {
            _ = try ActionEnumCases(of: type, prefixed: prefixed)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `cases have the keys under which they are coded`() throws {
        #expect(try keys(Plain.self) == ["raised", "moved", "said"])
        #expect(try keys(Named.self) == ["up", "down"])
        #expect(try keys(Raw.self) == ["oiled", "wiped"])
        #expect(try keys(Sole.self) == ["only"])
        #expect(try keys(Whole.self) == ["raised", "/LowerRequested"])
    }

    @Test func `a key follows the module's name, and a key behind a slash is whole`() throws {
        func names<T: Codable>(_ type: T.Type) throws -> [String] {
            try ActionEnumCases(of: type).cases.map { $0.wireName(in: "lift") }
        }
        #expect(try names(Named.self) == ["lift/up", "lift/down"])
        #expect(try names(Whole.self) == ["lift/raised", "LowerRequested"])
        #expect(try names(WholeRaw.self) == ["Oiled"])
    }

    @Test func `a whole name is refused if names begin with the module's`() throws {
        for prefixed in [ActionEnumCases.PrefixedActionKind.views, .instances] {
            #expect(refusal(Named.self, prefixed: prefixed) == nil)
            #expect(refusal(Raw.self, prefixed: prefixed) == nil)
        }
        let views = try #require(refusal(Whole.self, prefixed: .views))
        #expect(views.contains("Whole writes a case as '/LowerRequested', a whole wire name"))
        #expect(views.contains("an action of a module's views needs the module's name in front"))
        let instances = try #require(refusal(WholeRaw.self, prefixed: .instances))
        #expect(instances.contains("WholeRaw writes a case as '/Oiled', a whole wire name"))
        #expect(instances.contains("needs the module's name and the instance's id in front"))
    }

    @Test func `a key has no slash except in front`() {
        for (refusal, key) in [
            (refusal(Slashed.self), "a/b"), (refusal(Far.self), "/a/b"),
            (refusal(Doubled.self), "//b"), (refusal(Ending.self), "/b/"),
            (refusal(Empty.self), "/"),
        ] {
            #expect(refusal?.contains("writes a case as '\(key)'; write it as") == true)
            #expect(refusal?.hasSuffix("or such a name behind one slash") == true)
        }
    }

    @Test func `payloads hold the associated values`() throws {
        let cases = try ActionEnumCases(of: Plain.self).cases
        #expect(cases.map(\.hasNoPayload) == [true, false, false])
        #expect(cases[1].payloadSchema.firstRequiredMember(of: ["by", "to"]) == "to")
        #expect(cases[1].payloadSchema.firstRequiredMember(of: ["by"]) == nil)
        #expect(try ActionEnumCases(of: Raw.self).cases.allSatisfy(\.hasNoPayload))
    }

    @Test func `a type whose cases have no names is refused with advice`() throws {
        #expect(refusal(One.self)?.contains("One is no enum; make it one") == true)
        #expect(refusal(Wrapper.self)?.contains("is no enum") == true)
        #expect(
            refusal(Numbered.self)?.contains("as numbers; use raw values of the type String")
                == true
        )
        #expect(refusal(Own.self)?.contains("the enum has Codable code of its own") == true)
        #expect(refusal(TwoFaced.self)?.contains("the enum has Codable code of its own") == true)
        #expect(refusal(Quoted.self)?.contains("without slashes, quotes") == true)
    }

    @Test func `an action's payload has the schema of its case`() throws {
        let forms = [
            ActionSignature("m/moved", Plain.self, caseName: "moved"),
            ActionSignature("m/oiled", Raw.self, caseName: "oiled"),
        ]
        let definitions = JSONSchema.storeDefinitions(state: One.self, actions: forms)
        let oiled = try #require(definitions.first { $0.name == "payload.m.oiled" })
        #expect(oiled.schema == .object([]))
        let moved = try #require(definitions.first { $0.name == "payload.m.moved" })
        #expect(moved.schema.firstRequiredMember(of: ["to"]) == "to")
    }
}
