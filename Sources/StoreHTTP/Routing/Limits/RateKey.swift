import StoreDigest
package import StoreHTTPTransport

/// The owner of a share: an address or a principal. Its size is fixed, so that a table of keys has
/// a fixed size, too.
package struct RateKey: Sendable, Equatable {
    let high: UInt64
    let low: UInt64
    let kind: UInt8

    /// Makes the key of no client, for an empty row.
    init() {
        (high, low, kind) = (0, 0, 0)
    }

    /// Makes the key of an address; of IPv6, the first 64 bits count. All clients of unix sockets
    /// have one key in common, and so do all peers that have left already.
    package init(_ client: ClientAddress) {
        switch client.shared {
        case .internet(let address): (high, low, kind) = (address.high, address.low, 1)
        case .unix: (high, low, kind) = (0, 0, 2)
        case .unknown: (high, low, kind) = (0, 0, 3)
        }
    }

    /// Makes the key of a principal from the digest of its name. The digest is computed on each
    /// call: keep the key for further requests.
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
