import CStoreHTTPD

/// The loop's data about a connection, such as the bytes that the loop awaits, and their deadline.
final class ConnectionRecord {
    // Safety: only the loop's thread uses the properties, and it works on one at a time. So they
    // need no check for overlapping accesses.

    enum Waiting {
        /// The headers of the first request, from the beginning of the connection.
        case firstHeaders
        /// The next request on a connection that was served before.
        case nextRequest
        /// The rest of the headers.
        case headers
        case body
        /// No bytes of the client: the request is being handled or answered.
        case nothing
    }

    let descriptor: CInt
    /// True if the connection came in at an address for operators.
    let isAdmin: Bool
    let peer: ClientAddress
    private(set) lazy var peerHost = peer.description
    /// The index of this record in the loop's list.
    @exclusivity(unchecked) var place = 0
    /// True if nothing more is sent on the connection. Its last request was refused or ended
    /// without an answer, such as a request that becomes a stream.
    @exclusivity(unchecked) var isDone = false
    /// The library's run that ended the last request; 0 if the connection certainly goes on.
    @exclusivity(unchecked) var runOfLastEnd: UInt64 = 0
    @exclusivity(unchecked) unowned(unsafe) var exchange: HTTPExchange?
    /// The object that the handler keeps for the next requests of the connection.
    @exclusivity(unchecked) var kept: AnyObject?
    @exclusivity(unchecked) private(set) var waiting = Waiting.firstHeaders
    /// The time until which the loop awaits the client's bytes, in the loop's seconds.
    @exclusivity(unchecked) private(set) var deadline: Double

    init(descriptor: CInt, peer: ClientAddress, isAdmin: Bool, deadline: Double) {
        self.isAdmin = isAdmin
        self.descriptor = descriptor
        self.peer = peer
        self.deadline = deadline
    }

    func wait(for waiting: Waiting, until deadline: Double = .infinity) {
        self.waiting = waiting
        self.deadline = deadline
    }
}

/// The places for connections, and the addresses that hold them.
struct ConnectionPlaces {
    let max: Int
    /// The most places that one address or IPv6 network of 64 bits may hold. Addresses of this
    /// machine and of proxies may hold all places but the kept ones.
    let perAddressMax: Int
    /// The addresses of proxies, through which clients of any number of addresses connect.
    let proxies: [AddressRange]
    /// The number of places kept for addresses with fewer than ``keptPerAddress`` connections.
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
    /// If all places are taken, or the free ones are kept for addresses with fewer connections, the
    /// reason is ``TransportFailure/connectionLimit(_:)``.
    func refusal(of address: ClientAddress) -> TransportFailure? {
        guard taken < max else { return .connectionLimit(max) }
        let own = held[address.shared, default: 0]
        guard own < perAddressMax || isForMany(address) else { return .addressLimit(perAddressMax) }
        return max - taken > kept || own < Self.keptPerAddress ? nil : .connectionLimit(max)
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
