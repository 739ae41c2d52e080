/// Where a client is.
package enum ClientAddress: Sendable, Hashable {
    case internet(IPAddress)
    /// At the other end of a unix socket: all of these are one.
    case unix
    /// It has left before it was asked for.
    case unknown

    /// Whether it is this machine: 127.0.0.0/8, ::1, or a unix socket. Behind it there may be a
    /// proxy, with the clients of any number of addresses.
    package var isLocal: Bool {
        guard case .internet(let address) = self else { return true }
        if address.isV4 { return address.low >> 24 & 0xFF == 127 }
        return address.high == 0 && address.low == 1
    }

    /// What a client has for itself alone: an IPv4 address, or the first 64 bits of one of IPv6,
    /// of which a client that has one has all.
    package var shared: ClientAddress {
        guard case .internet(let address) = self else { return self }
        return .internet(address.network)
    }
}

extension ClientAddress: CustomStringConvertible {
    /// `127.0.0.1`, `::1`, `unix` or `unknown`.
    package var description: String {
        switch self {
        case .internet(let address): address.description
        case .unix: "unix"
        case .unknown: "unknown"
        }
    }
}
