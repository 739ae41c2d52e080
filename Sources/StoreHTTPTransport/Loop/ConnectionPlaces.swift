/// The places for connections, and the addresses that hold them.
struct ConnectionPlaces {
    enum Refusal: Equatable {
        /// All places are taken, or the free ones are kept for addresses with fewer connections.
        case all
        /// The address holds as many places as it may.
        case address(limit: Int)
    }

    /// The number of places.
    let max: Int
    /// The most places that one address or IPv6 network of 64 bits may hold. Addresses of this
    /// machine and of proxies may hold all places but the kept ones.
    let perAddressMax: Int
    /// The addresses of proxies, through which clients of any number of addresses connect.
    let proxies: [AddressRange]
    /// The number of places that are kept for addresses with fewer than ``keptPerAddress``
    /// connections.
    let kept: Int
    /// The most connections of an address when only kept places are left.
    static let keptPerAddress = 4

    private(set) var taken = 0
    private var held: [ClientAddress: Int] = [:]

    init(max: Int, perAddressMax: Int, proxies: [AddressRange] = []) {
        self.proxies = proxies
        self.max = max
        self.perAddressMax = perAddressMax
        kept = max / 64
    }

    /// Returns the reason why a connection from an address has no place; `nil` if it has a place.
    func refusal(of address: ClientAddress) -> Refusal? {
        guard taken < max else { return .all }
        let own = held[address.shared, default: 0]
        guard own < perAddressMax || isForMany(address) else {
            return .address(limit: perAddressMax)
        }
        return max - taken > kept || own < Self.keptPerAddress ? nil : .all
    }

    /// True if a proxy may connect from this address.
    func isForMany(_ address: ClientAddress) -> Bool {
        if address.isLocal { return true }
        guard case .internet(let address) = address else { return true }
        return proxies.contains { $0.contains(address) }
    }

    mutating func take(_ address: ClientAddress) {
        taken += 1
        held[address.shared, default: 0] += 1
    }

    mutating func giveBack(_ address: ClientAddress) {
        guard let own = held[address.shared] else { return }
        taken -= 1
        held[address.shared] = own > 1 ? own - 1 : nil
    }
}
