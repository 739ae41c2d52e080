import Foundation
import StoreHTTPTransport
import StoreJSON
import Testing

/// The table of Tests/Scenarios, in process. Tests/BlackBox runs it over a socket.
@Suite struct ScenarioTests {
    @Test(arguments: try Scenario.all())
    func `the router answers as in the table`(_ scenario: Scenario) throws {
        let server = try InProcessServer()
        let json = [(name: "Content-Type", value: "application/json")]
        for action in try scenario.member("given")?.elements ?? [] {
            let given = try server.answer("POST", "/dispatch", headers: json, body: action.bytes)
            try #require(given.status == 200)
        }
        let request = try #require(try scenario.member("request", epoch: server.epoch))
        let expect = try #require(try scenario.member("expect", epoch: server.epoch))
        let own = request.member(named: "headers")?.members.map {
            (name: $0.name, value: $0.value.stringValue ?? "")
        }
        let body =
            request.member(named: "body")?.bytes
            ?? request.member(named: "text")?.stringValue.map { Array($0.utf8) }

        let answer = try server.answer(
            try #require(request.member(named: "method")?.stringValue),
            try #require(request.member(named: "target")?.stringValue),
            headers: (own ?? []) + (body == nil || own?.has("Content-Type") == true ? [] : json),
            body: body ?? []
        )

        #expect(answer.status == expect.member(named: "status")?.intValue, "\(answer)")
        for (name, value) in expect.member(named: "headers")?.members ?? [] {
            #expect(answer.header(name) == value.stringValue, "\(name) of \(answer.headers)")
        }
        if let wanted = expect.member(named: "body") {
            let actual = try JSONDocument(parsing: answer.bodyBytes, limits: .unbounded)
            #expect(wanted.matches(actual.root), "\(actual.root.sourceText)")
        }
    }

    @Test func `the table has its scenarios`() throws {
        #expect(try Scenario.all().count >= 25)
    }
}

/// A row of the table.
struct Scenario: CustomTestStringConvertible {
    let testDescription: String
    private let row: String

    static func all() throws -> [Scenario] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Scenarios/scenarios.json")
        let bytes = [UInt8](try Data(contentsOf: file))
        return try JSONDocument(parsing: bytes, limits: .unbounded).root.elements.map {
            Scenario(
                testDescription: $0.member(named: "name")?.stringValue ?? "no name",
                row: $0.sourceText
            )
        }
    }

    /// Returns a part of the row, with the epoch in place of `{epoch}`.
    func member(_ name: String, epoch: String = "") throws -> JSONNode? {
        let text = row.replacing("{epoch}", with: epoch)
        return try JSONDocument(parsing: Array(text.utf8), limits: .unbounded)
            .root.member(named: name)
    }
}

extension JSONNode {
    fileprivate var bytes: [UInt8] { Array(source) }

    /// True if a value is this value; `*` stands for any value that is not empty.
    fileprivate func matches(_ actual: JSONNode) -> Bool {
        if stringValue == "*" {
            return !["", "\"\"", "[]", "{}", "0", "false", "null"].contains(actual.sourceText)
        }
        guard kind == actual.kind else { return false }
        switch kind {
        case .object:
            return members.count == actual.members.count
                && members.allSatisfy { name, value in
                    actual.member(named: name).map(value.matches) ?? false
                }
        case .array:
            return elements.count == actual.elements.count
                && zip(elements, actual.elements).allSatisfy { $0.matches($1) }
        case .string: return stringValue == actual.stringValue
        default: return sourceText == actual.sourceText
        }
    }
}

extension [(name: String, value: String)] {
    fileprivate func has(_ name: String) -> Bool { contains { $0.name == name } }
}

extension HTTPResponse {
    fileprivate func header(_ name: String) -> String? {
        headers.first { $0.0.lowercased() == name.lowercased() }?.1
    }
}
