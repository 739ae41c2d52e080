import CStoreHTTPD

/// The loop's data about a connection, such as the kind of bytes that the loop awaits, and the
/// deadline for these bytes.
final class LoopConnection {
    // Safety: only the loop's thread uses the properties, one property at a time. So the properties
    // need no check for overlapping accesses.

    enum AwaitedInput {
        /// The headers of the connection's first request. The request line was not read yet.
        case firstRequest
        /// The next request on a connection that has had a request before.
        case nextRequest
        /// The rest of the headers, after the request line.
        case remainingHeaders
        case body
        /// No bytes of the client, because the request is being handled or answered.
        case nothing
    }

    let descriptor: CInt
    /// True if the connection was accepted at an address for operators.
    let isAdmin: Bool
    let peer: ClientAddress
    private(set) lazy var peerHost = peer.description
    /// The index of this record in the loop's list.
    @exclusivity(unchecked) var indexInLoop = 0
    /// True if the loop and the library send nothing more on the connection. The last request was
    /// refused, or ended without an answer. A request that becomes a stream also ends without an
    /// answer.
    @exclusivity(unchecked) var isDoneSending = false
    /// The serial number of the library's run in which the last request ended; 0 if the connection
    /// certainly stays open.
    @exclusivity(unchecked) var libraryRunOfLastRequestEnd: UInt64 = 0
    @exclusivity(unchecked) unowned(unsafe) var exchange: HTTPExchange?
    /// The object that the handler keeps for the next requests of the connection.
    @exclusivity(unchecked) var handlerStorage: AnyObject?
    @exclusivity(unchecked) private(set) var awaitedInput = AwaitedInput.firstRequest
    /// The time until which the loop awaits the client's bytes, in the loop's seconds.
    @exclusivity(unchecked) private(set) var deadline: Double

    init(descriptor: CInt, peer: ClientAddress, isAdmin: Bool, deadline: Double) {
        self.isAdmin = isAdmin
        self.descriptor = descriptor
        self.peer = peer
        self.deadline = deadline
    }

    func setAwaitedInput(_ waiting: AwaitedInput, until deadline: Double = .infinity) {
        self.awaitedInput = waiting
        self.deadline = deadline
    }
}

/// The places for connections, and the number of places that each address has taken. Each open
/// connection of a client takes a place, and the number of places is the bound on connections.
struct ConnectionPlaces {
    let placesMax: Int
    /// The most places that one IPv4 address, or one IPv6 network with a prefix of 64 bits, may
    /// hold. Addresses of this machine and of proxies may hold all places, except for the reserved
    /// places (``reservedCount``).
    let perAddressMax: Int
    /// The addresses of proxies, through which clients of any number of addresses connect.
    let proxies: [AddressRange]
    /// The number of places that are reserved for addresses with fewer than
    /// ``reservedPerAddressMax`` connections.
    let reservedCount: Int
    /// The most connections of an address when only reserved places are left.
    static let reservedPerAddressMax = 4

    private(set) var takenCount = 0
    private var takenCountsByAddress: [ClientAddress: Int] = [:]

    init(placesMax: Int, perAddressMax: Int, proxies: [AddressRange] = []) {
        self.proxies = proxies
        self.placesMax = placesMax
        self.perAddressMax = perAddressMax
        reservedCount = placesMax / 64
    }

    /// Returns the reason why a connection from an address has no place; `nil` if there is a place.
    /// The reason is ``TransportFailure/connectionLimit(_:)`` if all places are taken, or if the
    /// free places are reserved for addresses with fewer connections.
    func refusal(of address: ClientAddress) -> TransportFailure? {
        guard takenCount < placesMax else { return .connectionLimit(placesMax) }
        let own = takenCountsByAddress[address.network, default: 0]
        guard own < perAddressMax || mayHaveManyClients(address) else {
            return .connectionLimitPerAddress(perAddressMax)
        }
        return placesMax - takenCount > reservedCount || own < Self.reservedPerAddressMax
            ? nil : .connectionLimit(placesMax)
    }

    /// Returns true if many clients may connect from this address, which may be a proxy's address.
    func mayHaveManyClients(_ address: ClientAddress) -> Bool {
        if address.isLocal { return true }
        guard case .internet(let address) = address else { return true }
        return proxies.contains { $0.contains(address) }
    }

    mutating func takePlace(for address: ClientAddress) {
        takenCount += 1
        takenCountsByAddress[address.network, default: 0] += 1
    }

    mutating func giveBackPlace(of address: ClientAddress) {
        guard let own = takenCountsByAddress[address.network] else { return }
        takenCount -= 1
        takenCountsByAddress[address.network] = own > 1 ? own - 1 : nil
    }
}
