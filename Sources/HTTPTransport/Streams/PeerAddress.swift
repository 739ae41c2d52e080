import Glibc

/// The other end of a connection, as the system has it; made into text only where it is shown.
struct PeerAddress: Sendable {
    /// An IPv4 address takes a part of it, and of a path only the family is of interest.
    private var storage = sockaddr_in6()

    init(of descriptor: CInt) {
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
    }

    /// What stands for the address of a peer that has left already.
    static var unknown: String { "unknown" }

    private var family: CInt { CInt(storage.sin6_family) }

    /// `127.0.0.1:51234`, `[::1]:51234` or `unix`; `unknown` where the peer has left already.
    var text: String {
        // The port stands at the same place in both families.
        let port = UInt16(bigEndian: storage.sin6_port)
        return switch family {
        case AF_INET: "\(host):\(port)"
        case AF_INET6: "[\(host)]:\(port)"
        default: host
        }
    }

    /// The same without the port, and without brackets.
    var host: String {
        guard family == AF_INET || family == AF_INET6 else {
            return family == AF_UNIX ? "unix" : Self.unknown
        }
        return withUnsafeBytes(of: storage) { bytes in
            let offset =
                family == AF_INET
                ? MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)
                : MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
            var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            inet_ntop(
                family,
                bytes.baseAddress?.advanced(by: offset ?? 0),
                &buffer,
                socklen_t(buffer.count)
            )
            return String(
                decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
                as: UTF8.self
            )
        }
    }
}
