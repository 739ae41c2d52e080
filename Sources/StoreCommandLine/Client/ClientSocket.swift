import Glibc

/// The client's side of a TCP connection, which is closed when the value is destroyed.
struct ClientSocket: ~Copyable {
    private let descriptor: CInt

    /// Connects; returns `nil` if no server listens. A single read or write may wait for
    /// `stepSeconds`.
    init?(_ host: String, _ port: String, stepSeconds: Int) {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(
                address.ai_family,
                address.ai_socktype | CInt(SOCK_CLOEXEC.rawValue),
                0
            )
            guard descriptor >= 0 else { continue }
            var limit = timeval(tv_sec: stepSeconds, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        return nil
    }

    deinit {
        close(descriptor)
    }

    /// Sends all bytes; returns true if the kernel accepted them.
    borrowing func send(_ bytes: [UInt8]) -> Bool {
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
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Reads until the peer ends; returns `nil` if it takes too long or sends too much.
    borrowing func readAll(bytesMax: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= bytesMax {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            bytes += buffer[..<count]
        }
        return nil
    }
}
