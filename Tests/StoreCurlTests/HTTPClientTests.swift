import StoreCurl
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
    let client = CurlClient()

    private func failure(of request: HTTPRequest) async -> HTTPClientError? {
        await #expect(throws: HTTPClientError.self) { try await client.response(to: request) }
    }

    @Test func `method, target, header fields and body arrive as they were given`() async throws {
        let server = try ScriptedServer { request in
            let headers = ["x-test", "content-type", "expect", "content-length"]
                .map { request.headers[$0] ?? "-" }
            return answer(
                200,
                ([request.method, request.target, request.body] + headers).joined(separator: " ")
            )
        }
        defer { server.close() }
        func told(_ request: HTTPRequest) async throws -> String {
            String(decoding: try await client.response(to: request).body, as: UTF8.self)
        }
        let search = HTTPRequest.get(
            server.url("/search?page=1#top"),
            query: ["q": "a b&ü"],
            headers: ["X-Test": "yes"]
        )
        #expect(try await told(search) == "GET /search?page=1&q=a%20b%26%C3%BC  yes - - -")
        let value = ["name": "Ada"]
        #expect(
            try await told(.post(server.url("/"), json: value))
                == #"POST / {"name":"Ada"} - application/json - 14"#
        )
        #expect(try await told(HTTPRequest(.put, server.url("/"))) == "PUT /  - - - 0")
        #expect(try await told(HTTPRequest(.delete, server.url("/"))) == "DELETE /  - - - -")
        let large = HTTPRequest(
            .patch,
            server.url("/"),
            body: .init(repeating: 0x61, count: 100_000)
        )
        #expect(try await told(large).hasSuffix(" - - - 100000"))
    }

    @Test func `status, header fields and body come back, and none of them is an error`()
        async throws
    {
        let server = try ScriptedServer { _ in
            answer(500, "Sorry.", "Set-Cookie: a=1", "X-Empty:", "set-cookie:  b=2  ")
        }
        defer { server.close() }
        let response = try await client.response(to: .get(server.url("/")))
        #expect(response.status == 500)
        #expect(!response.isSuccess)
        #expect(response.headers["SET-COOKIE"] == "a=1")
        #expect(response.headers.fields.map(\.value) == ["a=1", "", "b=2", "6"])
        #expect(response.body == Array("Sorry.".utf8))
    }

    @Test func `JSON is read if the status is 2xx, and any other answer is an error`()
        async throws
    {
        let server = try ScriptedServer { request in
            request.target == "/ok"
                ? answer(201, #"{"a":[1]}"#)
                : request.target == "/bad" ? answer(200, #"{"a":["x"]}"#) : answer(500, "{}")
        }
        defer { server.close() }
        let value = try await client.json([String: [Int]].self, from: .get(server.url("/ok")))
        #expect(value == ["a": [1]])
        let other = await #expect(throws: HTTPClientError.self) {
            try await client.json([String: [Int]].self, from: .get(server.url("/other")))
        }
        #expect(other?.code == .status)
        #expect(other?.description == "GET \(server.url("/other")): the answer is 500")
        let bad = await #expect(throws: HTTPClientError.self) {
            try await client.json([String: [Int]].self, from: .get(server.url("/bad")))
        }
        #expect(bad?.code == .content)
        #expect(bad?.cause.hasPrefix("/a/0: ") == true)
    }

    @Test func `a server that sends nothing in time is an error`() async throws {
        let server = try ScriptedServer { _ in
            .silence
        }
        defer { server.close() }
        let error = await failure(of: .get(server.url("/"), timeout: .milliseconds(50)))
        #expect(error?.code == .timeout)
        #expect(error?.cause == "no whole answer within 0.05 seconds")
    }

    @Test func `a refused connection is an error that shows nothing secret`() async throws {
        let port = try ScriptedServer.closedPort()
        let error = await failure(
            of: .get("http://ada:secret@127.0.0.1:\(port)/x?key=secret#secret")
        )
        #expect(error?.code == .unreachable)
        #expect(error?.url == "http://127.0.0.1:\(port)/x")
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `user and password in a URL are sent as Basic credentials`() async throws {
        let server = try ScriptedServer {
            answer(200, $0.headers["authorization"] ?? "none")
        }
        defer { server.close() }
        let url = "http://ada:secret@127.0.0.1:\(server.port)/"
        let response = try await client.response(to: .get(url))
        #expect(response.body == Array("Basic YWRhOnNlY3JldA==".utf8))
    }

    @Test func `a body beyond the bound is an error, announced or not`() async throws {
        let server = try ScriptedServer { request in
            request.target == "/endless"
                ? .endless("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1_000))
                : answer(200, String(repeating: "x", count: Int(request.target.dropFirst()) ?? 0))
        }
        defer { server.close() }
        for (target, isTooLarge) in [("1000", false), ("1001", true), ("endless", true)] {
            var request = HTTPRequest.get(server.url("/" + target))
            request.responseBytesMax = 1_000
            guard isTooLarge else {
                #expect(try await client.response(to: request).body.count == 1_000)
                continue
            }
            let error = await failure(of: request)
            #expect(error?.code == .tooLarge)
            #expect(error?.cause == "the answer has more than 1000 bytes")
        }
    }

    @Test func `header fields beyond the bound are an error`() async throws {
        let server = try ScriptedServer { _ in
            .bytes(
                "HTTP/1.1 200 OK\r\n"
                    + String(
                        repeating: "X-Long: \(String(repeating: "y", count: 1_000))\r\n",
                        count: 70
                    )
                    + "Content-Length: 0\r\n\r\n"
            )
        }
        defer { server.close() }
        #expect(await failure(of: .get(server.url("/")))?.code == .tooLarge)
    }

    @Test(arguments: ["no HTTP\r\n\r\n", "", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func `an incomplete answer is an error`(bytes: String) async throws {
        let server = try ScriptedServer { _ in
            .last(bytes)
        }
        defer { server.close() }
        #expect(await failure(of: .get(server.url("/")))?.code == .malformed)
    }
}

// Redirects

extension HTTPClientTests {
    @Test func `redirects are followed for GET, as many as the request allows`() async throws {
        let server = try ScriptedServer { request in
            let count = Int(request.target.dropFirst()) ?? 0
            return count == 0
                ? answer(200, "here", "X-Place: end")
                : answer(302, "away", "Location: /\(count - 1)")
        }
        defer { server.close() }
        let response = try await client.response(to: .get(server.url("/5")))
        #expect(response.status == 200)
        #expect(response.body == Array("here".utf8))
        #expect(response.url == server.url("/0"))
        #expect(response.headers.fields.map(\.name) == ["X-Place", "Content-Length"])
        let error = await failure(of: .get(server.url("/6")))
        #expect(error?.code == .redirect)
        #expect(error?.cause == "more than 5 redirects")
    }

    @Test func `a redirect is the answer for other methods and if none are followed`()
        async throws
    {
        let server = try ScriptedServer { _ in
            answer(303, "", "Location: /")
        }
        defer { server.close() }
        let posted = try await client.response(to: HTTPRequest(.post, server.url("/")))
        #expect(posted.status == 303)
        var request = HTTPRequest.get(server.url("/"))
        request.redirectsMax = 0
        #expect(try await client.response(to: request).headers["location"] == "/")
    }

    @Test func `a redirect loop and a redirect to another scheme are errors`() async throws {
        let server = try ScriptedServer { request in
            answer(302, "", "Location: \(request.target == "/file" ? "file:///etc/passwd" : "/")")
        }
        defer { server.close() }
        #expect(await failure(of: .get(server.url("/")))?.code == .redirect)
        #expect(await failure(of: .get(server.url("/file")))?.code == .redirect)
    }
}

// Requests that are not sent

extension HTTPClientTests {
    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "/path", "", "http://",
        "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX-Evil: 1", "http://127.0.0.1/\0",
    ])
    func `a URL of another scheme and a text that is no URL are refused`(url: String) async {
        #expect(await failure(of: .get(url))?.code == .request)
    }

    @Test(arguments: [("X-Evil", "a\r\nX-More: b"), ("X Evil", "a"), ("", "a"), ("X-Evil", "a\0b")])
    func `a header field with a line break is refused`(name: String, value: String) async {
        var request = HTTPRequest.get("http://127.0.0.1/")
        request.headers.add(name, value)
        #expect(await failure(of: request)?.code == .request)
    }

    @Test func `a method that is no token is refused`() async {
        let request = HTTPRequest(.init(rawValue: "GET / HTTP/1.1\r\n"), "http://127.0.0.1/")
        #expect(await failure(of: request)?.code == .request)
    }
}
