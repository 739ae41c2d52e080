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

    /// The address with which a connection was accepted.
    init(_ accepted: sockaddr_storage) {
        withUnsafeBytes(of: accepted) { storage = $0.loadUnaligned(as: sockaddr_in6.self) }
    }

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
    var host: String { address.description }

    /// The address as a value.
    var address: ClientAddress {
        switch family {
        case AF_INET:
            // It stands behind the port (sockaddr_in), where IPv6 has the flow.
            .internet(IPAddress(v4: UInt32(bigEndian: storage.sin6_flowinfo)))
        case AF_INET6: .internet(IPAddress(storage.sin6_addr))
        case AF_UNIX: .unix
        default: .unknown
        }
    }
}
