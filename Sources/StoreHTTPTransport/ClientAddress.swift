/// The address of a client, without a port.
package enum ClientAddress: Sendable, Hashable {
    case internet(IPAddress)
    /// A client at a unix socket. All clients at unix sockets have the same address.
    case unix
    /// An address that could not be read, because the client had closed the connection already.
    case unknown

    /// True if the client is on this machine: 127.0.0.0/8, ::1, a unix socket, or an unknown
    /// address. A client on this machine may be a proxy for clients with any number of addresses.
    package var isLocal: Bool {
        guard case .internet(let address) = self else { return true }
        if address.isV4 { return address.low >> 24 & 0xFF == 127 }
        return address.high == 0 && address.low == 1
    }

    /// The address by which connections and requests of a client are counted: the IPv4 address, or
    /// the first 64 bits of the IPv6 address. A client usually has all IPv6 addresses with the same
    /// first 64 bits.
    package var network: ClientAddress {
        guard case .internet(let address) = self else { return self }
        return .internet(address.network)
    }
}

extension ClientAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .internet(let address): address.description
        case .unix: "unix"
        case .unknown: "unknown"
        }
    }
}
