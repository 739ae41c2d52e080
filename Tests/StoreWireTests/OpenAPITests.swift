import StoreTestSupport
import Testing

@testable import StoreJSON
@testable import StoreJSONSchema
@testable import StoreWire

@Suite struct OpenAPITests {
    private struct Step: Decodable { let step: Int }
    private struct State: Decodable { let counter: Int }

    /// A small table with every kind of entry.
    static let sample = OpenAPI(
        title: "Sample",
        apiVersion: "1",
        operations: [
            OpenAPI.Operation(
                "POST",
                "/dispatch",
                id: "dispatch",
                summary: "Apply an action",
                parameters: [
                    OpenAPI.Parameter("dry-run", in: .query, .boolean, summary: "Apply nothing")
                ],
                body: .json(.reference("Dispatch")),
                answers: [OpenAPI.Answer(200, "Applied", headers: ["ETag"], bodies: [.json(.any)])],
                problems: [.malformedJSON, .badRequest, .refused, .overloaded, .draining]
            ),
            OpenAPI.Operation(
                "GET",
                "/state/{pointer}",
                id: "part",
                summary: "A part of the state",
                parameters: [OpenAPI.Parameter("pointer", in: .path, summary: "RFC 6901")],
                answers: [OpenAPI.Answer(200, "The part", bodies: [.json(.any)])],
                problems: [.notFound]
            ),
            OpenAPI.Operation(
                "HEAD",
                "/state/{pointer}",
                id: "partHead",
                summary: "Its headers",
                parameters: [OpenAPI.Parameter("pointer", in: .path, summary: "RFC 6901")],
                answers: [OpenAPI.Answer(200, "The headers")]
            ),
        ],
        components: JSONSchema.storeDefinitions(
            state: State.self,
            actions: [ActionSignature("module/step", Step.self)]
        )
    )

    @Test func `protocol 6.2: methods of one path stand together`() throws {
        let root = try document().root

        #expect(root.member(named: "openapi")?.stringValue == "3.1.0")
        let paths = try #require(root.member(named: "paths"))
        #expect(paths.members.map(\.name) == ["/dispatch", "/state/{pointer}"])
        #expect(paths.member(named: "/state/{pointer}")?.members.map(\.name) == ["get", "head"])
    }

    @Test func `protocol 6.2: an operation lists each status once, with all its answers`() throws {
        let responses = try #require(
            JSONPointer("/paths/~1dispatch/post/responses")?.find(in: document())
        )

        #expect(responses.members.map(\.name) == ["200", "400", "409", "503"])
        let bad = responses.member(named: "400")?.member(named: "content")
        let schema = bad?.member(named: "application/problem+json")?.member(named: "schema")
        #expect(schema?.member(named: "oneOf")?.count == 2)
        #expect(responses.member(named: "503")?.member(named: "headers")?.count == 1)
    }

    @Test func `protocol 6.2: an operation has the credentials that it takes`() throws {
        let operations = [OpenAPI.Admission.everyone, .anonymousIfPermitted, .authenticated].map {
            admission in
            OpenAPI.Operation(
                "GET",
                "/\(admission)",
                id: "\(admission)",
                summary: "Something",
                answers: [OpenAPI.Answer(200, "It")],
                admission: admission
            )
        }
        let api = OpenAPI(
            title: "Sample",
            apiVersion: "1",
            operations: operations,
            credentials: [.bearer, .cookie("store-auth")]
        )
        let document = try JSONDocument(parsing: api.bytes.array, limits: .unbounded)
        func text(_ pointer: String) -> String? {
            JSONPointer(pointer)?.find(in: document)?.sourceText
        }

        #expect(
            text("/components/securitySchemes")
                == #"{"bearer":{"type":"http","scheme":"bearer"},"cookie":{"type":"apiKey","#
                + #""in":"cookie","name":"store-auth"}}"#
        )
        #expect(text("/paths/~1everyone/get/security") == nil)
        #expect(
            text("/paths/~1anonymousIfPermitted/get/security")
                == #"[{"bearer":[]},{"cookie":[]},{}]"#
        )
        #expect(text("/paths/~1authenticated/get/security") == #"[{"bearer":[]},{"cookie":[]}]"#)
    }

    @Test func `every reference leads somewhere, and names have OpenAPI's form`() throws {
        let document = try document()
        let names = try #require(JSONPointer("/components/schemas")?.find(in: document))
        let references = references(in: document.root)

        #expect(references.count >= 8)
        for reference in references {
            let pointer = try #require(JSONPointer(String(reference.dropFirst())))
            #expect(pointer.find(in: document) != nil, "\(reference)")
        }
        for name in names.members.map(\.name) {
            #expect(name.wholeMatch(of: /[a-zA-Z0-9._-]+/) != nil, "\(name)")
        }
    }

    @Test(arguments: ProblemSlug.allCases)
    func `a problem's schema lists the members and headers that its constructors give`(
        slug: ProblemSlug
    ) {
        let problems = ProblemTests.all.filter { $0.slug == slug }
        let given = Set(problems.flatMap { $0.members.map(\.name) })

        #expect(given.isSubset(of: slug.extensionMembers.map(\.name)))
        #expect(given.isSuperset(of: slug.extensionMembers.filter(\.isRequired).map(\.name)))
        #expect(Set(problems.flatMap { $0.headers.map(\.name) }) == Set(slug.headerNames))
    }

    @Test func `protocol 6.2: the description equals the validators' file`() throws {
        try expectFixture("schema/sample.openapi.json", OpenAPITests.sample.bytes.array)
    }

    private func document() throws -> JSONDocument {
        try OpenAPITests.sample.bytes.withUnsafeBytes {
            try JSONDocument(parsing: $0, limits: .unbounded)
        }
    }

    private func references(in node: JSONNode) -> [String] {
        let own = [node.member(named: "$ref")?.stringValue].compactMap { $0 }
        let children = node.elements + node.members.map(\.value)
        return children.reduce(own) { $0 + references(in: $1) }
    }
}
