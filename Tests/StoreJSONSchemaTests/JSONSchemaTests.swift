import Foundation
import Testing

@testable import StoreJSON
@testable import StoreJSONSchema

@Suite struct JSONSchemaTests {
    private static let int =
        #"{"type":"integer","minimum":-9223372036854775808,"#
        + #""maximum":9223372036854775807}"#

    private func keywords(_ type: any Decodable.Type) -> String {
        let text = JSONSchema.document(of: type).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self)
        }
        let prefix = #"{"$schema":"https://json-schema.org/draft/2020-12/schema""#
        #expect(text.hasPrefix(prefix))
        let rest = text.dropFirst(prefix.count)
        return "{" + (rest.first == "," ? rest.dropFirst() : rest)
    }

    @Test func `protocol 6.1: integers are bounded by their width`() {
        #expect(keywords(Int.self) == Self.int)
        #expect(keywords(Int8.self) == #"{"type":"integer","minimum":-128,"maximum":127}"#)
        #expect(
            keywords(UInt64.self)
                == #"{"type":"integer","minimum":0,"maximum":18446744073709551615}"#
        )
        let optional = keywords(Int?.self)
        #expect(optional.hasPrefix(#"{"type":["integer","null"],"minimum""#))
    }

    @Test func `protocol 6.1: collections of the standard library`() {
        #expect(keywords([String].self) == #"{"type":"array","items":{"type":"string"}}"#)
        #expect(
            keywords([UInt8].self)
                == #"{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}"#
        )
        #expect(
            keywords([String: Bool?].self)
                == #"{"type":"object","additionalProperties":{"type":["boolean","null"]}}"#
        )
        #expect(
            keywords([Int: Double].self)
                == #"{"type":"object","propertyNames":{"type":"string","pattern":"^-?[0-9]+$"},"#
                + #""additionalProperties":{"type":"number"}}"#
        )
        #expect(
            keywords([Bool: String].self)
                == #"{"type":"array","items":{"anyOf":[{"type":"boolean"},{"type":"string"}]}}"#
        )
    }

    @Test func `protocol 6.1: raw enums list their values though they are not CaseIterable`() {
        #expect(
            keywords(Garden.Soil.self)
                == #"{"type":"string","enum":["clay","sand","rich loam"]}"#
        )
        #expect(keywords(Garden.Season.self) == #"{"type":"integer","enum":[1,2,3,4]}"#)
        #expect(keywords(Garden.Only.self) == #"{"type":"string","enum":["one"]}"#)
    }

    @Test func `protocol 6.1: an enum with payloads is one object of one member`() {
        #expect(
            keywords(Plant.self)
                == ##"{"$ref":"#/$defs/Plant","$defs":{"Plant":{"oneOf":["##
                + #"{"type":"object","properties":{"grass":{"type":"object"}},"required":["grass"]},"#
                + #"{"type":"object","properties":{"tree":{"type":"object","properties":{"height":"#
                + Self.int
                + #","_1":{"type":"object","properties":{"latin":{"type":"string"}},"required":"#
                + #"["latin"]}},"required":["height","_1"]}},"required":["tree"]},"#
                + #"{"type":"object","properties":{"graft":{"type":"object","properties":{"of":"#
                + ##"{"type":"array","items":{"$ref":"#/$defs/Plant"}}},"required":["of"]}},"##
                + #""required":["graft"]},"#
                + #"{"type":"object","properties":{"potted":{"type":"object","properties":{"_0":"#
                + #"{"type":["boolean","null"]}}}},"required":["potted"]}]}}}"#
        )
    }

    @Test func `an enum that contains itself is described whole, also by its first case`() {
        #expect(
            keywords(Sum.self)
                == ##"{"$ref":"#/$defs/Sum","$defs":{"Sum":{"oneOf":["##
                + #"{"type":"object","properties":{"add":{"type":"object","properties":{"#
                + ##""_0":{"$ref":"#/$defs/Sum"},"_1":{"$ref":"#/$defs/Sum"}},"##
                + #""required":["_0","_1"]}},"required":["add"]},"#
                + #"{"type":"object","properties":{"negative":{"type":"object","properties":{"#
                + ##""_0":{"$ref":"#/$defs/Sum"}},"required":["_0"]}},"required":["negative"]},"##
                + #"{"type":"object","properties":{"number":{"type":"object","properties":{"_0":"#
                + Self.int + #"},"required":["_0"]}},"required":["number"]}]}}}"#
        )
    }

    @Test func `protocol 6.1: members keep their order, optional ones are not required`() {
        #expect(
            keywords(Garden.Bed.self).hasPrefix(
                #"{"type":"object","properties":{"label":{"type":"string"},"plants":"#
            )
        )
        #expect(
            keywords(Person.self)
                == ##"{"$ref":"#/$defs/Person","$defs":{"Person":{"type":"object","properties":{"##
                + #""name":{"type":"string"},"friends":{"anyOf":[{"type":"array","items":"#
                + ##"{"$ref":"#/$defs/Person"}},{"type":"null"}]}},"required":["name"]}}}"##
        )
        #expect(keywords(NothingAtAll.self) == #"{"type":"object"}"#)
    }

    @Test func `every optional of the standard library is not required`() {
        struct All: Codable {
            var a: Bool?, b: String?, c: Double?, d: Float?, e: Int?, f: Int8?, g: Int16?
            var h: Int32?, i: Int64?, j: UInt?, k: UInt8?, l: UInt16?, m: UInt32?, n: UInt64?
        }

        let document = JSONSchemaDocument(of: [All.self])

        guard case .object(let properties) = document.roots[0] else {
            Issue.record("\(document.roots[0])")
            return
        }
        #expect(properties.count == 14)
        for property in properties {
            #expect(!property.isRequired && property.schema.orNull == property.schema)
        }
    }

    @Test func `types that refuse some values are described from accepted values`() {
        #expect(
            keywords(Checked.self)
                == #"{"type":"object","properties":{"text":{"type":"string"},"number":\#(Self.int),"#
                + #""last":{"type":["boolean","null"]}},"required":["text","number"]}"#
        )
    }

    @Test func `a type that refuses all dummies is described as far as possible`() {
        #expect(
            keywords(Stubborn.self)
                == #"{"type":"object","properties":{"code":{"type":"string"}},"required":["code"]}"#
        )
    }

    @Test func `single values, tuples, wrappers, parents and nested containers`() {
        #expect(keywords(NumberOrText.self) == #"{"anyOf":[\#(Self.int),{"type":"string"}]}"#)
        #expect(
            keywords(Place.self)
                == #"{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"#
                + #""minItems":2}"#
        )
        #expect(keywords(Identifier.self) == #"{"type":"string"}"#)
        #expect(
            keywords(Dog.self)
                == #"{"type":"object","properties":{"breed":{"type":"string"},"super":{"type":"#
                + #""object","properties":{"legs":\#(Self.int)},"required":["legs"]}},"#
                + #""required":["breed","super"]}"#
        )
        #expect(
            keywords(Page<String>.self)
                == #"{"type":"object","properties":{"page-items":{"type":"array","items":"#
                + #"{"type":"string"}},"nested":{"type":"object","properties":{"depth":"#
                + #"\#(Self.int)},"required":["depth"]},"next":\#(Self.int)},"#
                + #""required":["page-items","nested"]}"#
        )
    }

    @Test func `types with a schema are described by it`() {
        #expect(keywords(Percentage.self) == #"{"type":"integer","minimum":0,"maximum":100}"#)
    }

    @Test func `Foundation's types are described as their own Codable writes them`() {
        #expect(keywords(Date.self) == #"{"type":"number"}"#)
        #expect(keywords(UUID.self) == #"{"type":"string"}"#)
    }

    @Test func `two types of one name get names of their own`() throws {
        enum Other {
            struct Person: Codable {
                let age: Int
                let parents: [Person]
            }
        }
        struct Both: Codable {
            let first: Wire_Person
            let second: Other.Person
        }
        typealias Wire_Person = StoreJSONSchemaTests.Person

        let names = JSONSchemaDocument(of: [Both.self]).definitions.map(\.name)

        #expect(names.count == 2)
        #expect(names.first == "Person")
        let last = try #require(names.last)
        #expect(last.hasSuffix("Person") && last != "Person")
    }

    @Test func `the cases of enums come from the runtime, and nothing else does`() {
        enum Plain { case first, second }
        enum Payload { case first(Int), second }
        enum OneByte { case first(Bool), second, third }
        enum Never0 {}
        struct NotAnEnum {}

        #expect(EnumCases.all(of: Plain.self) == [.first, .second])
        #expect(EnumCases.all(of: Garden.Only.self) == [.one])
        let keys = EnumCases.all(of: Page<Int>.CodingKeys.self) ?? []
        #expect(keys.map(\.stringValue) == ["page-items", "nested", "next"])
        #expect(EnumCases.all(of: Payload.self) == nil)
        #expect(EnumCases.all(of: OneByte.self) == nil)
        #expect(EnumCases.all(of: Never0.self) == nil)
        #expect(EnumCases.all(of: NotAnEnum.self) == nil)
        #expect(EnumCases.all(of: Int.self) == nil)
        #expect(EnumCases.all(of: UInt8.self) == nil)
        #expect(EnumCases.all(of: Dog.self) == nil)
        #expect(EnumCases.all(of: (Int, Int).self) == nil)
        #expect(EnumCases.all(of: Bool?.self) == nil)
        #expect(EnumCases.all(of: (any Error).self) == nil)
    }

    @Test func `protocol 6.1: the store's document has state, actions and shared types`() throws {
        struct StepChangeRequested: Codable { let step: Int }
        let bytes = JSONSchema.storeDocument(
            JSONSchema.storeDefinitions(
                state: Garden.self,
                actions: [
                    ActionSignature("StepChangeRequested", StepChangeRequested.self),
                    ActionSignature("Reset", NothingAtAll.self),
                ]
            )
        )
        let root = try bytes.withUnsafeBytes {
            try JSONDocument(parsing: $0, limits: .unbounded)
        }.root
        let definitions = try #require(root.member(named: "$defs"))

        #expect(root.member(named: "$ref")?.stringValue == "#/$defs/State")
        #expect(
            definitions.members.map(\.name) == [
                "State", "Dispatch", "Action", "LogRecord", "Recipients",
                "payload.StepChangeRequested",
                "payload.Reset",
                "Plant", "Person",
            ]
        )
        let actions = try #require(JSONPointer("/$defs/Action/oneOf")?.find(in: root))
        #expect(actions.count == 2)
        #expect(actions.elements[0].member(named: "required")?.count == 2)
        #expect(actions.elements[1].member(named: "required")?.count == 1)
    }
}

extension JSONPointer {
    fileprivate func find(in node: JSONNode) -> JSONNode? { find(from: node) }
}
