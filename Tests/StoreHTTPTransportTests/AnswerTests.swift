import StoreTestSupport
import Testing

@testable import StoreHTTPTransport

/// Answers whose responses the library uses again and again.
@Suite(.serialized) struct AnswerTests {
    private struct Asked {
        var fields: [String]
        var body: String

        init(_ numbers: inout SplitMix) {
            // Some answers are equal, and some are longer than the stored part of a head.
            let count = [0, 1, 2, 3, 3, 3, 14][numbers.next(below: 7)]
            fields = (0..<count).map { index in
                let value = "v\(numbers.next(below: 3))"
                let length = numbers.next(below: 10) == 0 ? 80 : 1
                return "x-\(index)=" + String(repeating: value, count: length)
            }
            // The tag is the last field in most answers, but not in all.
            let tag = "ETag=t\(numbers.next(below: 12))"
            if numbers.next(below: 3) > 0 { fields.append(tag) }
            if numbers.next(below: 8) == 0 {
                fields.append(numbers.next(below: 2) == 0 ? tag : "x-z=1")
            }
            let length = [0, 5, 5, 6, 3_000][numbers.next(below: 5)]
            let letter = ["a", "b"][numbers.next(below: 2)]
            body = String(repeating: letter, count: length)
        }

        var text: String {
            let target = "/fields?" + fields.joined(separator: "&")
            let length = body.utf8.count
            return "POST \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n\(body)"
        }
    }

    @Test func `the loaded library lets the server overwrite tags`() {
        #expect(LibraryProbe.allowsTagRewrites())
    }

    @Test(arguments: [1, 2, 3])
    func `each answer has its own fields and body after any other`(seed: UInt64) throws {
        var numbers = SplitMix(seed: seed)
        let echo = try EchoServer()
        let connections = try (0..<4).map { _ in try RawConnection(port: echo.port) }
        for _ in 0..<100 {
            let asked = connections.map { _ in (0..<3).map { _ in Asked(&numbers) } }
            for (connection, requests) in zip(connections, asked) {
                try connection.send(requests.map(\.text).joined())
            }
            for (connection, requests) in zip(connections, asked) {
                for request in requests {
                    let answer = try connection.response()
                    let lines = answer.head.split(separator: "\r\n").map(String.init)
                    let own = lines.filter { $0.hasPrefix("x-") || $0.hasPrefix("ETag") }
                    let expected = request.fields.map {
                        $0.split(separator: "=").joined(separator: ": ")
                    }
                    #expect(own == expected, "seed \(seed)")
                    #expect(answer.body == request.body, "seed \(seed)")
                    #expect(lines.filter { $0.hasPrefix("Date: ") }.count == 1)
                    let length = "Content-Length: \(request.body.utf8.count)"
                    #expect(lines.filter { $0 == length }.count == 1)
                }
            }
        }
    }

    /// The library would abort the process if it had no memory for a list of pieces.
    @Test(arguments: [1, 2, 64, 1_000])
    func `a body of pieces comes whole, behind the largest head, too`(count: Int) throws {
        let echo = try EchoServer()
        let connection = try RawConnection(port: echo.port)
        let bounds = TransportConfiguration(addresses: [])
        let size = 3_200_000 / count
        let body = (0..<count).map { index in
            String(repeating: Character(UnicodeScalar(UInt8(97 + index % 26))), count: size)
        }.joined()
        for isLarge in [false, true] {
            var head = "GET /pieces?\(count)x\(size) HTTP/1.1\r\nHost: h\r\n"
            if isLarge {
                for index in 2..<bounds.fieldsMax { head += "x-\(index): 1\r\n" }
                let notes = TransportConfiguration.fieldOverheadBytes * bounds.fieldsMax
                let known = notes + head.utf8.count + "y: \r\n\r\n".utf8.count
                let rest = bounds.headersBytesMax - known
                head += "y: " + String(repeating: "y", count: rest) + "\r\n"
            }
            // The next requests fill the library's memory for reading.
            try connection.send(String(repeating: head + "\r\n", count: 3))
            for _ in 0..<3 {
                let answer = try connection.response()
                #expect(answer.head.hasPrefix("HTTP/1.1 200"))
                #expect(answer.body == body)
            }
        }
    }
}
