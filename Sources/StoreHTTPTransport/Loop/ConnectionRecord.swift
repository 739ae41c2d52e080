import CStoreHTTPD

/// The loop's data about a connection: the bytes that it waits for, and the deadline.
final class ConnectionRecord {
    // Safety: the loop's thread works on one property at a time; the accesses are not checked.

    enum Waiting {
        /// The headers of the first request, from the beginning of the connection.
        case firstHeaders
        /// The next request on a connection that was served before.
        case nextRequest
        /// The rest of the headers.
        case headers
        /// The body.
        case body
        /// No bytes of the client: the request is being handled or answered.
        case nothing
    }

    let descriptor: CInt
    /// True if the connection came in at an address for operators.
    let isAdmin: Bool
    /// The address of the other end.
    let peer: ClientAddress
    /// The text of the address.
    private(set) lazy var peerHost = peer.description
    /// The index of this record in the loop's list.
    @exclusivity(unchecked) var place = 0
    /// True if nothing more is sent on the connection. Its last request was refused or ended
    /// without an answer, such as a request that becomes a stream.
    @exclusivity(unchecked) var isDone = false
    /// The number of the library's run in which the last request ended, if the connection may have
    /// ended with it; else 0.
    @exclusivity(unchecked) var runOfLastEnd: UInt64 = 0
    /// The request that is under way.
    @exclusivity(unchecked) unowned(unsafe) var exchange: HTTPExchange?
    /// The object that the handler keeps for the next requests of the connection.
    @exclusivity(unchecked) var kept: AnyObject?
    @exclusivity(unchecked) private(set) var waiting = Waiting.firstHeaders
    /// The time at which the client's time is over, in the loop's seconds.
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
