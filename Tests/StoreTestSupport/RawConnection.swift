import Glibc

/// A client's side of a connection. The client sends any bytes, well formed or not.
package final class RawConnection {
    /// The reason of a failed step.
    package enum Failure: Error, Equatable {
        /// A system call failed; the number is `errno`.
        case system(Int32)
        /// No bytes came in time.
        case timeout
        /// The peer has ended the connection.
        case ended
    }

    private let descriptor: CInt
    private var buffer: [UInt8] = []

    /// Connects to a port of the loopback interface.
    ///
    /// - Parameters:
    ///   - port: the server's port.
    ///   - seconds: the longest wait of each read.
    /// - Throws: ``Failure/system(_:)`` if no server listens at the port, or if the system has no
    ///   socket left.
    package init(port: UInt16, seconds: Int = 10) throws(Failure) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system(errno) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            let code = errno
            close(descriptor)
            throw .system(code)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Sends the bytes of a text unchanged.
    package func send(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor,
                    $0.baseAddress?.advanced(by: offset),
                    $0.count - offset,
                    CInt(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { throw .system(errno) }
            offset += count
        }
    }

    /// Prepares a reset: the release of this object then resets the connection, so that the peer's
    /// next write fails.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &now,
            socklen_t(MemoryLayout<linger>.size)
        )
    }

    /// Returns the received bytes up to and including `end`. Waits for them.
    package func read(through end: String) throws(Failure) -> String {
        let end = Array(end.utf8)
        // Does not search the same bytes twice: answers may be large.
        var start = 0
        while true {
            if let count = count(through: end, from: start) {
                defer { buffer.removeFirst(count) }
                return String(decoding: buffer[..<count], as: UTF8.self)
            }
            start = max(0, buffer.count - end.count + 1)
            try fill()
        }
    }

    /// Returns the number of bytes up to and including `end`, searched from `start` on; `nil` if
    /// the buffer does not contain it.
    private func count(through end: [UInt8], from start: Int) -> Int? {
        guard let first = end.first else { return start }
        var place = start
        while place + end.count <= buffer.count {
            let found = buffer.withUnsafeBytes { bytes in
                bytes.baseAddress.flatMap { base in
                    memchr(base + place, CInt(first), bytes.count - place - end.count + 1)
                        .map { UnsafeRawPointer($0) - base }
                }
            }
            guard let found else { return nil }
            if buffer[found..<(found + end.count)].elementsEqual(end) { return found + end.count }
            place = found + 1
        }
        return nil
    }

    /// Reads one response with a `Content-Length`: its status, head and body.
    package func response() throws(Failure) -> (status: Int, head: String, body: String) {
        let head = try read(through: "\r\n\r\n")
        let length =
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        while buffer.count < length { try fill() }
        defer { buffer.removeFirst(length) }
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (status, head, String(decoding: buffer[..<length], as: UTF8.self))
    }

    /// Returns true if the peer ends the connection before the timeout. Skips the bytes that it
    /// still sends.
    package func isEnded() throws(Failure) -> Bool {
        while true {
            do {
                try fill()
            } catch .ended {
                return true
            } catch .timeout {
                return false
            }
        }
    }

    private func fill() throws(Failure) {
        var scratch = [UInt8](repeating: 0, count: 64 << 10)
        var count = 0
        // Other tests of the process use signals.
        repeat {
            count = recv(descriptor, &scratch, scratch.count, 0)
        } while count < 0 && errno == EINTR
        if count == 0 { throw .ended }
        guard count > 0 else {
            throw errno == EAGAIN ? .timeout : errno == ECONNRESET ? .ended : .system(errno)
        }
        buffer += scratch[..<count]
    }
}
