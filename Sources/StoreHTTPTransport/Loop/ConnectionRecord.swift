import CStoreHTTPD

/// What the loop keeps of a connection: what it is waiting for, and until when.
final class ConnectionRecord {
    // Safety: the loop's thread works on one property at a time; the accesses are not checked.

    enum Waiting {
        /// The first request's headers, from the connection's beginning.
        case firstHeaders
        /// The next request of a connection that was served before.
        case nextRequest
        /// The rest of the headers.
        case headers
        /// The body.
        case body
        /// Nothing from the client: the request is being worked on or answered.
        case nothing
    }

    let descriptor: CInt
    /// Whether it came in where operators do.
    let isAdmin: Bool
    /// Where the other end is.
    let peer: ClientAddress
    /// The same as text, without a port.
    private(set) lazy var peerHost = peer.description
    /// Its place in the loop's list.
    @exclusivity(unchecked) var place = 0
    /// Whether nothing more is sent on it: its last request was refused, or ended without an
    /// answer, as one does that becomes a stream.
    @exclusivity(unchecked) var isDone = false
    /// The library's run in which a request has ended that may have ended the connection, too.
    @exclusivity(unchecked) var runOfLastEnd: UInt64 = 0
    /// The request that is under way.
    @exclusivity(unchecked) unowned(unsafe) var exchange: HTTPExchange?
    /// What the handler keeps for the connection's next requests.
    @exclusivity(unchecked) var kept: AnyObject?
    @exclusivity(unchecked) private(set) var waiting = Waiting.firstHeaders
    /// When the client's time is over, in the loop's seconds.
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
