import CHTTPD
import Glibc

/// Where a client is, as its connections are counted: an IPv4 address, the first 64 bits of an IPv6
/// address, which are what one customer gets, or all unix sockets together.
struct AddressBlock: Hashable, Sendable {
    private let family: sa_family_t
    private let bits: UInt64

    init(_ address: sockaddr_storage) {
        family = address.ss_family
        bits = withUnsafeBytes(of: address) { bytes in
            switch CInt(address.ss_family) {
            case AF_INET:
                let offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 0
                return UInt64(
                    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                )
            case AF_INET6:
                let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 0
                return UInt64(
                    bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                )
            default: return 0
            }
        }
    }

    /// Whether it is this machine: 127.0.0.0/8, ::/64, which has no other address than ::1 in use,
    /// or a unix socket. Behind it there may be a proxy, with the clients of any number of
    /// addresses.
    var isLocal: Bool {
        switch CInt(family) {
        case AF_INET: bits >> 24 == 127
        case AF_INET6: bits == 0
        default: true
        }
    }
}

/// The places that there are for connections, and the addresses that hold them.
struct ConnectionPlaces {
    enum Refusal: Equatable {
        /// All places are taken, or those that are not are kept for addresses with fewer.
        case all
        /// The address holds as many as it may.
        case address(limit: Int)
    }

    /// How many places there are.
    let max: Int
    /// How many one address may hold; addresses of this machine may hold all but those kept.
    let perAddressMax: Int
    /// How many of the places are for addresses that hold fewer than ``keptPerAddress``.
    let kept: Int
    /// How many connections an address may have when only kept places are left.
    static let keptPerAddress = 4

    private(set) var taken = 0
    private var held: [AddressBlock: Int] = [:]

    init(max: Int, perAddressMax: Int) {
        self.max = max
        self.perAddressMax = perAddressMax
        kept = max / 64
    }

    /// Why a connection from an address has no place; `nil` where it has one.
    func refusal(of address: AddressBlock) -> Refusal? {
        guard taken < max else { return .all }
        let own = held[address, default: 0]
        guard own < perAddressMax || address.isLocal else { return .address(limit: perAddressMax) }
        return max - taken > kept || own < Self.keptPerAddress ? nil : .all
    }

    mutating func take(_ address: AddressBlock) {
        taken += 1
        held[address, default: 0] += 1
    }

    mutating func giveBack(_ address: AddressBlock) {
        guard let own = held[address] else { return }
        taken -= 1
        held[address] = own > 1 ? own - 1 : nil
    }
}
