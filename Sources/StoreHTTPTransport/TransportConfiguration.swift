import StoreWire

/// The bounds and deadlines of a transport. Sizes are in bytes, times in seconds.
package struct TransportConfiguration: Sendable {
    package var addresses: [ListenAddress]
    /// Where operators come in, apart from clients; empty where they come in with these.
    package var adminAddresses: [ListenAddress] = []
    /// The most of a request's target and header fields, each with ``fieldBytes`` more.
    package var headersBytesMax = 16 << 10
    package var uriBytesMax = 8 << 10
    package var bodyBytesMax = JSONLimits().bytesMax
    /// The most that bodies and answers take that are under way, beside 4 KiB of each; at least
    /// four times the largest body.
    package var buffersBytesMax = 256 << 20
    /// How much of a refused request's body is read and dropped, so that its client reads the
    /// answer: closing on unread bytes would reset the connection under it.
    package var discardBytesMax = 16 << 20
    /// Header fields beyond this many are refused.
    package var fieldsMax = 100
    package var headersSeconds = 10.0
    package var bodySeconds = 30.0
    package var idleSeconds = 30.0
    /// The most connections at a time; a further one is answered 503.
    package var connectionsMax = 4_096
    /// Header fields that every answer has, and every head of a stream that takes them.
    package var commonFields = HTTPFields()
    /// Who may connect to the sockets that this server makes at paths.
    package var socketAccess = SocketAccess()
    /// The most of them from one address, or from one IPv6 network of 64 bits; 0 for a quarter of
    /// all. Addresses of this machine are not bounded by it.
    package var connectionsPerAddressMax = 0
    /// The addresses of proxies, which are not bounded by it either.
    package var proxies: [AddressRange] = []
    /// The most connections of operators at a time, besides those of clients, where operators have
    /// addresses of their own.
    package static let adminConnectionsMax = 64
    /// Streams keep their connection suspended, as if handing over did not work. For tests.
    package var keepsStreamsSuspended = false

    package init(addresses: [ListenAddress]) {
        self.addresses = addresses
    }

    /// How many connections one address may have.
    var connectionsPerAddress: Int {
        connectionsPerAddressMax > 0 ? connectionsPerAddressMax : max(1, connectionsMax / 4)
    }

    /// How much memory the library has for a connection: the headers as they are read, what it
    /// notes of each field, and the head of the answer. No more, for it clears all of it after each
    /// request, and nearly half of it before each answer, with what its buffer for reading has
    /// free.
    ///
    /// All three lie in it at once: a request of so many bytes and fields is answered from their
    /// sum on, and not below it, so less than this breaks the bound on headers, in which a field
    /// counts with its note.
    var connectionBytes: Int {
        max(headersBytesMax, uriBytesMax) + Self.answerHeadBytes
    }

    /// What a field counts for the bound on headers beside its name and value: what the library
    /// notes of it (`struct MHD_HTTP_Header`), aligned.
    static let fieldBytes = 64
    /// For the head of an answer, and for what it reads beyond the headers.
    static let answerHeadBytes = 2 << 10
}

/// Why a transport can't serve.
package struct TransportError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Why the transport itself refuses a request.
package enum TransportFailure: Error, Sendable, Equatable {
    /// The request's framing or syntax is in doubt: the connection is closed after the answer.
    case malformed(String)
    /// The request is of a version of HTTP that is not served; the connection is closed.
    case versionNotSupported
    case headersTooLarge(limit: Int)
    /// There are more header fields than so many.
    case tooManyFields(limit: Int)
    case uriTooLong(limit: Int)
    case bodyTooLarge(limit: Int)
    /// The bodies of all requests together take so many bytes, which is the most.
    case bodiesLimit(Int)
    /// Those of the client's address or principal do.
    case bodiesShare(Int)
    case timeout(String, seconds: Int)
    case connectionLimit(Int)
    /// The client's address has as many connections as one may have.
    case addressLimit(Int)
    case stopping
}
