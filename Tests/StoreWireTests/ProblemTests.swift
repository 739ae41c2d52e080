import Testing

@testable import StoreJSON
@testable import StoreWire

@Suite struct ProblemTests {
    /// A problem of every kind.
    static let all: [Problem] = [
        .malformedJSON(offset: 7, message: "expected a value."),
        .badRequest("The header Host is missing."),
        .unauthorized(),
        .forbidden("Only an operator may do this."),
        .notFound(path: "/nowhere"),
        .methodNotAllowed("PUT", allowed: ["GET", "HEAD"]),
        .timeout(of: "the headers", seconds: 10),
        .misdirected(host: "evil.example"),
        .refused(reason: "the list is empty", pointer: "/payload/index"),
        .gone(oldest: 17),
        .versionMismatch(current: Tag(epoch: Epoch(rawValue: 0x4f1c_09ab), version: .max)),
        .tooLarge(limit: 1_048_576),
        .uriTooLong(limit: 8_192),
        .headersTooLarge(limit: 16_384),
        .unsupportedMediaType(), .unsupportedEncoding("gzip"),
        .unknownAction("StepChangeRequest", known: ["StepChangeRequested", "AddItem"]),
        .invalidPayload(pointer: "/payload/step", expected: "an integer"),
        .idempotencyMismatch(),
        .effectFailed(
            of: Tag(epoch: Epoch(rawValue: 0x4f1c_09ab), version: 7),
            because: "the service is away"
        ),
        .tooManyRequests(retryAfterSeconds: 3),
        .overloaded("the queue of actions (65,536)"),
        .draining(),
        .streamLimit(10_000),
        .viewFailed("list"), .versionUnreadable(7), .httpVersionNotSupported(), .storageFull(),
    ]

    @Test func `protocol 8.1: there is a constructor for every kind`() {
        #expect(Set(ProblemTests.all.map(\.slug)) == Set(ProblemSlug.allCases))
    }

    @Test(arguments: ProblemSlug.allCases)
    func `protocol 8.1: a body has the members of RFC 9457 in order`(slug: ProblemSlug) throws {
        let problem = try #require(ProblemTests.all.first { $0.slug == slug })

        let root = try document(problem.with(instance: "r-1")).root

        let names = root.members.map(\.name)
        #expect(names.prefix(5) == ["type", "title", "status", "detail", "instance"])
        #expect(root.member(named: "type")?.stringValue == "/problems/\(slug.rawValue)")
        #expect(root.member(named: "title")?.stringValue == ProblemCatalog.page(of: slug).title)
        #expect(root.member(named: "status")?.intValue == slug.status)
        #expect(root.member(named: "detail")?.stringValue == problem.detail)
        #expect(root.member(named: "instance")?.stringValue == "r-1")
        #expect(names.dropFirst(5).elementsEqual(problem.members.map(\.name)))
    }

    @Test(arguments: [
        (ProblemSlug.malformedJSON, ["offset"]), (.refused, ["reason", "pointer"]),
        (.gone, ["oldest"]), (.versionMismatch, ["epoch", "version"]), (.tooLarge, ["limit"]),
        (.uriTooLong, ["limit"]), (.headersTooLarge, ["limit"]),
        (.unknownAction, ["known", "nearest"]), (.invalidPayload, ["pointer", "expected"]),
        (.notFound, []),
    ])
    func `protocol 8.1: kinds have their own members`(slug: ProblemSlug, names: [String]) {
        #expect(ProblemTests.all.first { $0.slug == slug }?.members.map(\.name) == names)
    }

    @Test(arguments: [
        (ProblemSlug.unauthorized, "WWW-Authenticate", "Bearer"),
        (.methodNotAllowed, "Allow", "GET, HEAD"),
        (.unsupportedMediaType, "Accept", "application/json"),
        (.tooManyRequests, "Retry-After", "3"), (.overloaded, "Retry-After", "1"),
        (.draining, "Retry-After", "5"), (.streamLimit, "Retry-After", "10"),
        (.storageFull, "Retry-After", "30"),
    ])
    func `protocol 8.1: kinds have the headers that belong to them`(
        slug: ProblemSlug,
        name: String,
        value: String
    ) throws {
        let problem = try #require(ProblemTests.all.first { $0.slug == slug })

        #expect(problem.headers.contains { $0 == (name, value) })
        #expect(problem.responseHeaders.contains { $0 == ("Cache-Control", "no-store") })
        #expect(
            problem.responseHeaders.contains { $0 == ("Content-Type", "application/problem+json") }
        )
    }

    @Test func `protocol 8.1: an exact body`() throws {
        let problem = Problem.versionMismatch(
            current: Tag(epoch: Epoch(rawValue: 0x4f1c_09ab), version: .max)
        )

        let text = problem.body.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text.hasSuffix(#","epoch":"4f1c09ab","version":18446744073709551615}"#))
        #expect(text.hasPrefix(#"{"type":"/problems/version-mismatch","title":"The state has"#))
    }

    @Test func `a client's text is shortened and cleaned before it is repeated`() throws {
        let evil = "\u{1B}[31m\r\n\u{202E}" + String(repeating: "ä", count: 10_000)

        let detail = Problem.notFound(path: evil).detail

        #expect(detail.utf8.count < 2 * Problem.excerptBytesMax + 100)
        #expect(!detail.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    }

    @Test(arguments: [
        ("StepChangeRequest", "StepChangeRequested"), ("additem", "AddItem"),
        ("AddItme", "AddItem"), ("DeletItem", "DeleteItem"),
    ])
    func `an unknown action is answered with the nearest name`(wrong: String, meant: String) {
        let known = ["StepChangeRequested", "AddItem", "DeleteItem", "ArchiveCompleted"]

        let problem = Problem.unknownAction(wrong, known: known)

        #expect(problem.members.contains(ProblemMember("nearest", .string(meant))))
        #expect(problem.members.contains(ProblemMember("known", .strings(known.sorted()))))
        #expect(problem.detail.contains(meant))
    }

    @Test(arguments: ["", "x", "Frobnicate", String(repeating: "AddItem", count: 1_000)])
    func `no name is guessed if no name is near`(wrong: String) {
        let problem = Problem.unknownAction(wrong, known: ["AddItem", "ArchiveCompleted"])

        #expect(!problem.members.contains { $0.name == "nearest" })
    }

    @Test func `the distance between two names counts a swap as a single edit`() {
        let distance = { (first: String, second: String) in
            EditDistance.between(Array(first.utf8), Array(second.utf8))
        }

        #expect(distance("", "") == 0)
        #expect(distance("", "abc") == 3)
        #expect(distance("abc", "acb") == 1)
        #expect(distance("kitten", "sitting") == 3)
    }

    @Test func `every kind has a page that is complete as text and as HTML`() {
        #expect(ProblemCatalog.pages.map(\.slug) == ProblemSlug.allCases)
        #expect(Set(ProblemCatalog.pages.map(\.title)).count == ProblemSlug.allCases.count)
        for page in ProblemCatalog.pages {
            #expect(ProblemCatalog.page(named: page.slug.rawValue) == page)
            #expect(
                page.text.contains(page.slug.rawValue) && page.html.contains(page.slug.rawValue)
            )
            #expect(page.text.split(separator: "\n").allSatisfy { $0.count <= 78 })
            #expect(!page.meaning.contains("\n") && !page.remedy.contains("\n"))
            #expect(page.html.hasPrefix("<!doctype html>") && page.html.hasSuffix("</html>\n"))
        }
        #expect(ProblemCatalog.page(named: "nothing") == nil)
    }

    @Test func `a body that cannot be read is 400, 413 or 422 by its fault`() {
        let status = { (code: JSONError.Code) in
            Problem(JSONError(code: code, offset: 3, pointer: "/a", message: "no")).status
        }

        #expect(status(.malformed) == 400)
        #expect(status(.tooDeep) == 400)
        #expect(status(.tooLarge) == 413)
        #expect(status(.mismatch) == 422)
        #expect(status(.missing) == 422)
        #expect(status(.invalid) == 422)
    }

    private func document(_ problem: Problem) throws -> JSONDocument {
        try problem.body.withUnsafeBytes { bytes in
            try JSONDocument(parsing: bytes, limits: JSONLimits())
        }
    }
}
