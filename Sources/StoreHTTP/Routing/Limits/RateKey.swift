import StoreDigest
package import StoreHTTPTransport

/// Whose share is counted: an address, or a principal. Of fixed size, so that a table of them is,
/// too.
package struct RateKey: Sendable, Equatable {
    let high: UInt64
    let low: UInt64
    let kind: UInt8

    /// No client's.
    init() {
        (high, low, kind) = (0, 0, 0)
    }

    /// An address; of IPv6, the first 64 bits. All unix sockets are one, and so are all peers that
    /// have left already.
    package init(_ client: ClientAddress) {
        switch client.shared {
        case .internet(let address): (high, low, kind) = (address.high, address.low, 1)
        case .unix: (high, low, kind) = (0, 0, 2)
        case .unknown: (high, low, kind) = (0, 0, 3)
        }
    }

    /// A principal, by its name. Its digest is made each time: who has many requests keeps the key.
    package init(principal name: String) {
        let digest = Array(name.utf8).withUnsafeBytes { SHA256.digest($0) }
        let (high, low) = digest.withUnsafeBytes {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
        (self.high, self.low, kind) = (high, low, 4)
    }
}
