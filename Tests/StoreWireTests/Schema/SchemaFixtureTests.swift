import Foundation
import Testing

@testable import StoreWire

/// The documents that `Tests/BlackBox/test_schema_fixtures.py` gives to third-party validators, and
/// the same verdicts from our own decoder.
@Suite struct SchemaFixtureTests {
    private static var actions: [ActionForm] {
        [
            ActionForm("Sum", Sum.self),
            ActionForm("Checked", Checked.self),
            ActionForm("Stubborn", Stubborn.self),
            ActionForm("NumberOrText", NumberOrText.self),
            ActionForm("Place", Place.self),
            ActionForm("Dog", Dog.self),
            ActionForm("Page", Page<String>.self),
            ActionForm("Soil", Garden.Soil.self),
            ActionForm("Small", Int8.self),
            ActionForm("Big", UInt64.self),
            ActionForm("Identifier", Identifier.self),
            ActionForm("Percentage", Percentage.self),
            ActionForm("module/case", NothingAtAll.self),
        ]
    }

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "BlackBox/fixtures/schema")

    @Test func `protocol 6.1: the schema equals the validators' file`() throws {
        let derived = JSONSchema.store(state: Garden.self, actions: Self.actions)

        try expectFixture("store.schema.json", derived)
    }

    @Test func `protocol 6.2: the description equals the validators' file`() throws {
        try expectFixture("sample.openapi.json", OpenAPITests.sample.bytes)
    }

    @Test func `protocol 6.1: the decoder's verdict is the schema's`() throws {
        var types: [String: any Decodable.Type] = [
            "State": Garden.self, "Plant": Plant.self, "Person": Person.self,
        ]
        for action in Self.actions { types[JSONSchema.payloadName(action.name)] = action.type }
        let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: "cases.json")))
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
        (try? StoreWire.JSONDecoder().decode(Value.self, from: json)) != nil
    }

    /// Compares with a file; `STORE_SERVER_RECORD=1` writes it instead, and fails.
    private func expectFixture(_ name: String, _ bytes: Bytes) throws {
        let file = Self.folder.appending(path: name)
        let derived = bytes.withUnsafeBytes { Data($0) } + Data("\n".utf8)
        if ProcessInfo.processInfo.environment["STORE_SERVER_RECORD"] != nil {
            try derived.write(to: file)
            Issue.record("\(name) was recorded. Look at it, and run the tests without recording.")
        }
        let expected = try Data(contentsOf: file)
        #expect(
            derived == expected,
            "\(name) differs from \(String(decoding: derived, as: UTF8.self))"
        )
    }
}
