import Foundation
import StoreHTTPTransport
import StoreJSON
import Testing

@testable import StoreActionCatalog
@testable import StoreHTTP
@testable import StoreHistory
@testable import StoreJSONSchema
@testable import StorePublishing
@testable import StoreServer

/// The example route of CONTRIBUTING, word for word.
@Suite struct AddedRouteTests {
    private struct HelloRoutes: RouteGroup {
        private static let name = Parameter.visibleASCII("name", bytes: 1...64, "Who is greeted.")

        var routes: [Route] {
            [
                .reading(
                    "/hello",
                    "Hello",
                    "Greets.",
                    needs: .everyone,
                    parameters: [Self.name],
                    answers: [.json(.object([.init("hello", .string())]), "The greeting.")]
                ) { request in
                    request.respond { $0.member("hello", request[Self.name] ?? "world") }
                }
            ]
        }
    }

    private let server: InProcessServer
    private let description: JSONNode

    init() throws {
        let discovery = DiscoveryRoutes(
            links: Links(),
            title: "test",
            programVersion: "0",
            schema: Bytes(utf8: "{}"),
            operatorSchema: Bytes(utf8: "{}"),
            components: []
        )
        server = try InProcessServer(serving: [HelloRoutes(), discovery])
        let document = try server.answer("GET", "/openapi.json").bodyBytes
        description = try JSONDocument(parsing: document, limits: .unbounded).root
    }

    @Test func `an added route answers, and refuses other requests`() throws {
        #expect(try server.answer("GET", "/hello").text == #"{"hello":"world"}"#)
        #expect(try server.answer("GET", "/hello?name=ada").text == #"{"hello":"ada"}"#)
        #expect(try server.answer("GET", "/%68ello?name=%61da").text == #"{"hello":"ada"}"#)
        let long = String(repeating: "x", count: 65)
        for query in ["name=", "name=\(long)", "name=a&name=b", "nam=a", "name=%zz"] {
            #expect(try server.answer("GET", "/hello?" + query).status == 400)
        }
        let refusal = try server.answer("POST", "/hello")
        #expect(refusal.status == 405)
        #expect(refusal.headers.contains { $0 == ("Allow", "GET, HEAD") })
        #expect(try server.answer("OPTIONS", "/hello").status == 204)
        #expect(try server.answer("GET", "/hello/x").status == 404)
    }

    @Test func `an added route is described, and listed at the root`() throws {
        let operation = description.member(named: "paths")?.member(named: "/hello")?
            .member(named: "get")
        #expect(operation?.member(named: "operationId")?.stringValue == "getHello")
        let parameter = operation?.member(named: "parameters")?.elements.first
        #expect(parameter?.member(named: "name")?.stringValue == "name")
        #expect(try server.answer("GET", "/").text.contains(#""path":"/hello""#))
    }

    @Test func `CONTRIBUTING shows the route that is compiled here, whole`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "CONTRIBUTING.md"),
            encoding: .utf8
        )
        let own = lines(of: try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first.map(lines)
        }
        try #require(blocks.count == 2)
        let shown = blocks[0] + ["var routes: [Route] {", "["] + blocks[1] + ["]", "}", "}"]
        let begin = try #require(own.firstIndex(of: "private struct HelloRoutes: RouteGroup {"))
        #expect(Array(own[(begin + 1)...].prefix(shown.count)) == shown)
    }

    /// Returns the lines that are not empty, without their indentation.
    private func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}
