import Dispatch
import Glibc
import Synchronization

/// A server that sends the bytes of a test, well formed or not. Each connection has a thread of its
/// own.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        let method: String
        let target: String
        /// The header fields by their lower-case names.
        let headers: [String: String]
        let body: String
    }

    enum Answer: Sendable {
        /// These bytes, and the connection stays open.
        case bytes(String)
        /// These bytes, and the connection is closed.
        case last(String)
        /// Bytes without end.
        case endless(String)
        /// Nothing, until the client leaves.
        case silence
    }

    let port: UInt16
    /// The connections that have been accepted.
    let connections = Atomic(0)
    /// A stream with a value for each connection that its client has closed.
    let left: AsyncStream<Void>
    private let leaving: AsyncStream<Void>.Continuation
    private let listener: CInt
    private let answer: @Sendable (Request) -> Answer

    struct Failure: Error {
        let code = errno
    }

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        (left, leaving) = AsyncStream.makeStream()
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        port = try Self.listen(on: listener)
        DispatchQueue(label: "listener").async { [self] in accepting() }
    }

    /// Ends the listening. The thread, which holds this object, ends with it.
    func close() {
        shutdown(listener, CInt(SHUT_RDWR))
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Returns a port on which no process listens.
    static func closedPort() throws -> UInt16 {
        let server = try ScriptedServer { _ in .silence }
        server.close()
        return server.port
    }

    private static func listen(on socket: CInt) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) + Glibc.listen(socket, 64) + getsockname(socket, $0, &size)
            }
        }
        guard socket >= 0, code == 0 else { throw Failure() }
        return UInt16(bigEndian: address.sin_port)
    }

    private func accepting() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            connections.add(1, ordering: .relaxed)
            DispatchQueue(label: "connection").async { [self] in
                serve(connection)
                Glibc.close(connection)
            }
        }
        Glibc.close(listener)
    }

    private func serve(_ connection: CInt) {
        var buffer: [UInt8] = []
        while let request = Self.request(from: connection, &buffer) {
            switch answer(request) {
            case .bytes(let text): guard Self.send(text, connection) else { return }
            case .last(let text):
                _ = Self.send(text, connection)
                return
            case .endless(let text): while Self.send(text, connection) {}
            case .silence: break
            }
        }
        leaving.yield()
    }

    private static func send(_ text: String, _ connection: CInt) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = Glibc.send(
                    connection,
                    UnsafeBufferPointer(rebasing: rest).baseAddress,
                    rest.count,
                    CInt(MSG_NOSIGNAL)
                )
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
    }

    private static func request(from connection: CInt, _ buffer: inout [UInt8]) -> Request? {
        var size = 0
        while true {
            let text = String(decoding: buffer, as: UTF8.self)
            let parts = text.split(
                separator: "\r\n\r\n",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if parts.count == 2 {
                let lines = parts[0].split(separator: "\r\n")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let field = line.split(separator: ":", maxSplits: 1)
                    headers[field[0].lowercased()] =
                        field.count < 2 ? "" : String(field[1].dropFirst())
                }
                size = headers["content-length"].flatMap { Int($0) } ?? 0
                let whole = parts[0].utf8.count + 4 + size
                if buffer.count >= whole {
                    let line = lines[0].split(separator: " ")
                    let body = String(decoding: buffer[(whole - size)..<whole], as: UTF8.self)
                    buffer.removeFirst(whole)
                    return Request(
                        method: String(line[0]),
                        target: String(line[1]),
                        headers: headers,
                        body: body
                    )
                }
            }
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            buffer += piece[..<count]
        }
    }
}

/// Returns a whole answer with this body.
func answer(_ status: Int, _ body: String = "", _ headers: String...) -> ScriptedServer.Answer {
    let fields = (headers + ["Content-Length: \(body.utf8.count)"]).map { $0 + "\r\n" }.joined()
    return .bytes("HTTP/1.1 \(status) Status\r\n\(fields)\r\n\(body)")
}
