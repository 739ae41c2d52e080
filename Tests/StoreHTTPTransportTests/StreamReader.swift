import Glibc
import StoreTestSupport
import Testing

/// A client's side of a stream: the payload of the chunks (RFC 9112 §7.1), after the response's
/// head.
final class StreamReader {
    private let connection: RawConnection
    private var payload: [UInt8] = []
    /// True after the chunk that ends the message.
    private var isWhole = false

    /// Sends a request, and reads the head of the response.
    init(
        port: UInt16,
        _ target: String,
        fields: String = "",
        seconds: Int = 10
    ) throws(RawConnection.Failure) {
        connection = try RawConnection(port: port, seconds: seconds)
        try connection.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        _ = try connection.read(through: "\r\n\r\n")
    }

    /// Returns the payload up to and including `end`, which ends with a line feed.
    func read(through end: String) throws(RawConnection.Failure) -> String {
        let end = Array(end.utf8)
        var start = 0
        while true {
            while let feed = lineFeed(from: start) {
                start = feed + 1
                guard payload[..<start].suffix(end.count).elementsEqual(end) else { continue }
                defer { payload.removeFirst(start) }
                return String(decoding: payload[..<start], as: UTF8.self)
            }
            start = payload.count
            try takeChunk()
        }
    }

    /// Returns true if the message and the connection end here.
    func isEnded() throws(RawConnection.Failure) -> Bool {
        if !isWhole { try? takeChunk() }
        guard isWhole, payload.isEmpty else { return false }
        return try connection.isEnded()
    }

    /// Returns true if the connection ends before the end of the message.
    func isCutOff() throws(RawConnection.Failure) -> Bool {
        let isEnded = try connection.isEnded()
        return isEnded && !isWhole
    }

    /// Ends the connection at once, so that the server's next write fails.
    func reset() { connection.reset() }

    private func lineFeed(from start: Int) -> Int? {
        payload.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count else { return nil }
            return memchr(base + start, 0x0A, bytes.count - start).map {
                UnsafeRawPointer($0) - base
            }
        }
    }

    /// Takes a chunk, whose payload has no carriage return in these tests.
    private func takeChunk() throws(RawConnection.Failure) {
        guard !isWhole else { throw .ended }
        let size = try connection.read(through: "\r\n").dropLast()
        let chunk = Array(try connection.read(through: "\r\n").utf8.dropLast(2))
        #expect(Int(size, radix: 16) == chunk.count, "a chunk of '\(size)'")
        payload += chunk
        isWhole = chunk.isEmpty
        if isWhole { throw .ended }
    }
}
