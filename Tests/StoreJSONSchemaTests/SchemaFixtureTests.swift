import Foundation
import StoreTestSupport
import Testing

@testable import StoreJSON
@testable import StoreJSONSchema

/// The documents that `Tests/BlackBox/test_schema_fixtures.py` gives to third-party validators, and
/// the same verdicts from our own decoder.
@Suite struct SchemaFixtureTests {
    private static var actions: [ActionSignature] {
        [
            ActionSignature("Sum", Sum.self),
            ActionSignature("Checked", Checked.self),
            ActionSignature("Stubborn", Stubborn.self),
            ActionSignature("NumberOrText", NumberOrText.self),
            ActionSignature("Place", Place.self),
            ActionSignature("Dog", Dog.self),
            ActionSignature("Page", Page<String>.self),
            ActionSignature("Soil", Garden.Soil.self),
            ActionSignature("Small", Int8.self),
            ActionSignature("Big", UInt64.self),
            ActionSignature("Identifier", Identifier.self),
            ActionSignature("Percentage", Percentage.self),
            ActionSignature("module/case", NothingAtAll.self),
        ]
    }

    @Test func `protocol 6.1: the schema equals the validators' file`() throws {
        let definitions = JSONSchema.storeDefinitions(state: Garden.self, actions: Self.actions)
        let derived = JSONSchema.storeDocument(definitions)

        try expectFixture("schema/store.schema.json", derived.array)
    }

    @Test func `protocol 6.1: the decoder's verdict is the schema's`() throws {
        var types: [String: any Decodable.Type] = [
            "State": Garden.self, "Plant": Plant.self, "Person": Person.self,
        ]
        for action in Self.actions {
            types[JSONSchema.payloadDefinitionName(action.name)] = action.type
        }
        let bytes = [UInt8](
            try Data(contentsOf: fixturesFolder.appending(path: "schema/cases.json"))
        )
        let cases = try JSONDocument(parsing: bytes, limits: .unbounded).root.elements

        #expect(cases.count > 30)
        for entry in cases {
            let name = try #require(entry.member(named: "definition")?.stringValue)
            let type = try #require(types[name], "\(name)")
            let value = try #require(entry.member(named: "value"))
            let isValid = entry.member(named: "valid")?.kind == .true

            let isDecoded = isReadable(type, Array(value.source))

            #expect(isDecoded == isValid, "\(name): \(value.sourceText)")
        }
    }

    private func isReadable<Value: Decodable>(_: Value.Type, _ json: [UInt8]) -> Bool {
        (try? StoreJSON.JSONDecoder().decode(Value.self, from: json)) != nil
    }
}
