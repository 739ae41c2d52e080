/// Where a client is.
package enum ClientAddress: Sendable, Hashable {
    case internet(IPAddress)
    /// At the other end of a unix socket: all of these are one.
    case unix
    /// It has left before it was asked for.
    case unknown

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
