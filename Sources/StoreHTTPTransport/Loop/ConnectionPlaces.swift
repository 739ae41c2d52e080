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
    /// How many one address may hold, or one IPv6 network of 64 bits. Addresses of this machine and
    /// those of proxies may hold all but those kept.
    let perAddressMax: Int
    /// The addresses of proxies, behind which there are the clients of any number of addresses.
    let proxies: [AddressRange]
    /// How many of the places are for addresses that hold fewer than ``keptPerAddress``.
    let kept: Int
    /// How many connections an address may have when only kept places are left.
    static let keptPerAddress = 4

    private(set) var taken = 0
    private var held: [ClientAddress: Int] = [:]

    init(max: Int, perAddressMax: Int, proxies: [AddressRange] = []) {
        self.proxies = proxies
        self.max = max
        self.perAddressMax = perAddressMax
        kept = max / 64
    }

    /// Why a connection from an address has no place; `nil` where it has one.
    func refusal(of address: ClientAddress) -> Refusal? {
        guard taken < max else { return .all }
        let own = held[address.shared, default: 0]
        guard own < perAddressMax || isForMany(address) else {
            return .address(limit: perAddressMax)
        }
        return max - taken > kept || own < Self.keptPerAddress ? nil : .all
    }

    /// Whether there may be a proxy.
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
