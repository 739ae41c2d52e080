import Glibc

/// The address of a client, without a port.
package enum ClientAddress: Sendable, Hashable {
    case internet(IPAddress)
    /// The other end of a unix socket. All such clients have the same address.
    case unix
    /// The address of a client that left before the system was asked for it.
    case unknown

    /// True if the client is on this machine: 127.0.0.0/8, ::1, a unix socket, or an unknown
    /// address. A proxy may be there, with clients of any number of addresses.
    package var isLocal: Bool {
        guard case .internet(let address) = self else { return true }
        if address.isV4 { return address.low >> 24 & 0xFF == 127 }
        return address.high == 0 && address.low == 1
    }

    /// The address that stands for one client: an IPv4 address, or the first 64 bits of an IPv6
    /// address. A client that has one address of an IPv6 network of 64 bits usually has all of
    /// them.
    package var shared: ClientAddress {
        guard case .internet(let address) = self else { return self }
        return .internet(address.network)
    }
}

extension ClientAddress: CustomStringConvertible {
    /// The text `127.0.0.1`, `::1`, `unix` or `unknown`.
    package var description: String {
        switch self {
        case .internet(let address): address.description
        case .unix: "unix"
        case .unknown: "unknown"
        }
    }
}

/// The other end of a connection in the system's form. The text is made only when it is shown.
struct PeerAddress: Sendable {
    /// The system's address. An IPv4 address uses a part of it, and of a path only the family is
    /// used.
    private var storage = sockaddr_in6()

    init(of descriptor: CInt) {
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
    }

    /// Takes the address with which a connection was accepted.
    init(_ accepted: sockaddr_storage) {
        withUnsafeBytes(of: accepted) { storage = $0.loadUnaligned(as: sockaddr_in6.self) }
    }

    private var family: CInt { CInt(storage.sin6_family) }

    /// The text `127.0.0.1:51234`, `[::1]:51234` or `unix`; `unknown` if the peer has left already.
    var text: String {
        // The port has the same offset in both families.
        let port = UInt16(bigEndian: storage.sin6_port)
        return switch family {
        case AF_INET: "\(host):\(port)"
        case AF_INET6: "[\(host)]:\(port)"
        default: host
        }
    }

    /// The text without the port, and without brackets.
    var host: String { address.description }

    /// The address as a value.
    var address: ClientAddress {
        switch family {
        case AF_INET:
            // The IPv4 address follows the port (sockaddr_in), at the offset of the flow in IPv6.
            .internet(IPAddress(v4: UInt32(bigEndian: storage.sin6_flowinfo)))
        case AF_INET6: .internet(IPAddress(storage.sin6_addr))
        case AF_UNIX: .unix
        default: .unknown
        }
    }
}
