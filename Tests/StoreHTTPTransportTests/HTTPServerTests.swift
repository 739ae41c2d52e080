import Dispatch
import Glibc
import StoreTestSupport
import Synchronization
import Testing

@testable import StoreHTTPTransport

@Suite(.serialized) struct HTTPServerTests {
    private func ask(_ connection: RawConnection, _ request: String) throws -> (Int, String) {
        try connection.send(request)
        let (status, _, body) = try connection.response()
        return (status, body)
    }

    private func post(_ path: String, _ body: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `a request comes with method, path, query, host, fields and body`() throws {
        let echo = try EchoServer()
        let connection = try RawConnection(port: echo.port)
        let answer = try ask(
            connection,
            "POST /echo?a=%20 HTTP/1.1\r\nHost: h:1\r\nX-TEST: v\r\nContent-Length: 4\r\n\r\nbody"
        )
        #expect(answer == (200, "POST /echo a=%20 h:1 v body"))
        #expect(
            try ask(connection, "GET http://other/e HTTP/1.1\r\nHost: h\r\n\r\n").1
                == "GET /e - other - "
        )
    }

    @Test func `a connection carries many requests, also sent ahead`() throws {
        let echo = try EchoServer()
        let connection = try RawConnection(port: echo.port)
        try connection.send(post("/later", "one") + post("/echo", "two") + post("/later", "three"))
        #expect(try connection.response().body == "one")
        #expect(try connection.response().body.hasSuffix("two"))
        #expect(try connection.response().body == "three")
        #expect(try ask(connection, post("/shared", "")).1 == "shared")
    }

    @Test func `chunks make one body`() throws {
        let echo = try EchoServer()
        let connection = try RawConnection(port: echo.port)
        let answer = try ask(
            connection,
            "POST /later HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
        )
        #expect(answer == (200, "abcde"))
    }

    @Test(arguments: [
        "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 5",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding : chunked\r\nContent-Length: 3", "A B: x\r\nContent-Length: 3",
        "A: x\rEvil: y\r\nContent-Length: 3", "Host: other\r\nContent-Length: 3",
        "X: a\r\nTransfer-Encoding:\r\n chunked", "",
    ])
    func `a doubtful framing is 400, and no smuggled request is run`(fields: String) throws {
        let echo = try EchoServer()
        let connection = try RawConnection(port: echo.port, seconds: 2)
        try connection.send(
            "POST /echo HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\nabcGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"
        )
        let (status, head, _) = try connection.response()
        #expect(status == 400)
        #expect(head.contains("Connection: close"))
        #expect(try connection.isEnded())
    }

    @Test func `bounds on target, headers and body have answers of their own`() throws {
        let echo = try EchoServer { $0.bodyBytesMax = 100 }
        func status(_ request: String) throws -> Int {
            try ask(try RawConnection(port: echo.port), request).0
        }
        let long = String(repeating: "a", count: 9_000)
        #expect(try status("GET /\(long) HTTP/1.1\r\nHost: h\r\n\r\n") == 414)
        let field = "X: \(long)\r\n"
        #expect(try status("GET / HTTP/1.1\r\nHost: h\r\n\(field)\(field)\r\n") == 431)
        #expect(try status("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n") == 413)
        #expect(
            try status(
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "65\r\n\(String(repeating: "b", count: 101))\r\n0\r\n\r\n"
            ) == 413
        )
    }

    @Test func `headers and bodies that dribble in are cut off with 408`() throws {
        let echo = try EchoServer {
            $0.headersTimeoutSeconds = 0.3
            $0.bodyTimeoutSeconds = 0.3
            $0.idleTimeoutSeconds = 0.3
        }
        let slow = try RawConnection(port: echo.port)
        try slow.send("GET / HTTP/1.1\r\nHo")
        #expect(try slow.response().status == 408)
        let stuck = try RawConnection(port: echo.port)
        try stuck.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc")
        #expect(try stuck.response().status == 408)
        let idle = try RawConnection(port: echo.port)
        _ = try ask(idle, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try idle.isEnded())
        #expect(echo.server.counters.timeouts.load(ordering: .relaxed) == 3)
        #expect(echo.server.counters.refusedConnections.load(ordering: .relaxed) == 0)
    }

    @Test func `a connection too many gets 503, and the others go on`() throws {
        let echo = try EchoServer { $0.connectionsMax = 2 }
        let first = try RawConnection(port: echo.port)
        let second = try RawConnection(port: echo.port)
        #expect(try ask(first, post("/later", "1")).0 == 200)
        #expect(try ask(second, post("/later", "2")).0 == 200)
        #expect(try RawConnection(port: echo.port).response().status == 503)
        #expect(try ask(first, post("/later", "3")).0 == 200)
    }

    @Test(arguments: [256, 512, 1_000])
    func `many connections that are ready at once are all served`(count: Int) throws {
        let echo = try EchoServer()
        let connections = try (0..<count).map { _ in try RawConnection(port: echo.port) }
        for round in 0..<3 {
            for connection in connections { try connection.send(post("/later", "\(round)")) }
            for connection in connections {
                #expect(try connection.response().body == "\(round)")
            }
        }
    }

    /// The bound of the descriptors that the test checks.
    private static let descriptorsMax: CInt = 16_384

    @Test func `connections that come and go leave no descriptor behind`() throws {
        let echo = try EchoServer()
        // Returns the number of this server's descriptors. Other tests open and close their own
        // meanwhile.
        func descriptors() -> Int {
            (0..<Self.descriptorsMax).count { descriptor in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let found = withUnsafeMutableBytes(of: &address) { bytes in
                    bytes.baseAddress.map {
                        getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &size)
                    }
                }
                return found == 0 && address.sin_family == sa_family_t(AF_INET)
                    && UInt16(bigEndian: address.sin_port) == echo.port
            }
        }
        _ = try ask(try RawConnection(port: echo.port), post("/later", ""))
        let before = descriptors()
        for round in 0..<1_000 {
            let connection = try RawConnection(port: echo.port)
            switch round % 3 {
            case 0: _ = try ask(connection, post("/later", "x"))
            case 1: try connection.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
            default:
                try connection.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
            }
            connection.reset()
        }
        let end = ContinuousClock.now + .seconds(20)
        while descriptors() > before + 2, .now < end { sched_yield() }
        #expect(descriptors() <= before + 2)
    }

    @Test func `a stop closes idle connections and requests that never end`() throws {
        let echo = try EchoServer()
        let idle = try RawConnection(port: echo.port)
        _ = try ask(idle, post("/later", "x"))
        let never = try RawConnection(port: echo.port)
        try never.send(post("/never", ""))
        _ = try ask(try RawConnection(port: echo.port), post("/later", "y"))
        #expect(!echo.server.stop(withinSeconds: 0.2))
        #expect(try idle.isEnded())
        #expect(try never.isEnded())
    }
}
