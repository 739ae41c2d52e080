import Glibc
import StoreTestSupport
import Testing

@testable import StoreHTTPTransport

/// Requests whose answer is put off for a moment (docs/decisions/0006).
@Suite(.serialized) struct ParkingTests {
    private func post(_ path: String, _ body: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `the loaded library has the functions that the loop needs`() {
        #expect(LibraryProbe.callsInEachRun())
        #expect(LibraryProbe.leavesDuplicatesAlone())
    }

    @Test func `answers come in order, also to requests sent ahead`() throws {
        let echo = try EchoServer()
        let connection = try RawConnection(port: echo.port)
        let names = (1...20).map(String.init)
        try connection.send(names.map { post("/soon", $0) }.joined())
        for name in names { #expect(try connection.response().body == name) }
    }

    @Test func `more requests than can be parked are answered, and others meanwhile`() throws {
        let echo = try EchoServer()
        let held = try (0..<(EventLoop.parkedRequestsMax + 16)).map { _ in
            let connection = try RawConnection(port: echo.port)
            try connection.send(post("/held", ""))
            return connection
        }
        let other = try RawConnection(port: echo.port)
        try wait("all are held") {
            try other.send(post("/holding", ""))
            return try other.response().body == "\(held.count)"
        }
        try other.send(post("/release", ""))
        #expect(try other.response().status == 200)
        for connection in held { #expect(try connection.response().body == "held") }
    }

    @Test func `a client that leaves does not disturb the next client of its place`() throws {
        let echo = try EchoServer()
        let watcher = try RawConnection(port: echo.port)
        for round in 0..<20 {
            for _ in 0..<8 {
                let leaving = try RawConnection(port: echo.port)
                try leaving.send(post("/held", "gone"))
                leaving.reset()
            }
            try watcher.send(post("/soon", "\(round)"))
            #expect(try watcher.response().body == "\(round)")
            try watcher.send(post("/release", ""))
            #expect(try watcher.response().status == 200)
        }
        try watcher.send(post("/soon", "last"))
        #expect(try watcher.response().body == "last")
    }
}
