import Glibc
import StoreJSON

/// The bounds and deadlines of a transport. Sizes are in bytes, times in seconds.
package struct TransportConfiguration: Sendable {
    package var addresses: [ListenAddress]
    /// The addresses on which the server listens for operators; empty if operators use
    /// ``addresses``, as clients do.
    package var adminAddresses: [ListenAddress] = []
    /// The most bytes of a request's target and fields. Each field counts as the bytes of its name
    /// and value, plus ``fieldOverheadBytes``.
    package var headersBytesMax = 16 << 10
    package var uriBytesMax = 8 << 10
    package var bodyBytesMax = JSONLimits().bytesMax
    /// The most bytes of all bodies and answers that are under way. The first 4 KiB of each body
    /// and each answer do not count. The bound is at least four times the bound on one body.
    package var buffersBytesMax = 256 << 20
    /// The most bytes of a refused request's body that are read and dropped. If the server closed a
    /// socket with unread bytes, the connection would be reset before the client reads the answer.
    package var discardedBodyBytesMax = 16 << 20
    /// The most header fields of a request. A request with more fields is refused.
    package var fieldsMax = 100
    package var headersTimeoutSeconds = 10.0
    package var bodyTimeoutSeconds = 30.0
    package var idleTimeoutSeconds = 30.0
    /// The most connections at a time. A further connection is answered with 503.
    package var connectionsMax = 4_096
    /// The header fields that every answer has. Handlers add these fields to the heads of streams.
    package var commonFields = HTTPFields()
    package var socketAccess = SocketAccess()
    /// The most connections from one IPv4 address, or from one IPv6 network with a prefix of 64
    /// bits; 0 for a quarter of all connections. The bound does not apply to addresses of this
    /// machine.
    package var connectionsPerAddressMax = 0
    /// The addresses of proxies, to which ``connectionsPerAddressMax`` does not apply.
    package var proxies: [AddressRange] = []
    /// The most open connections at the addresses for operators; connections at the addresses for
    /// clients do not count.
    package static let adminConnectionsMax = 64
    /// True if streams keep the library's connection, as if the library could not hand over the
    /// connection's socket. Only tests set it.
    package var keepsStreamConnectionsSuspended = false

    package init(addresses: [ListenAddress]) { self.addresses = addresses }

    var effectiveConnectionsPerAddressMax: Int {
        connectionsPerAddressMax > 0 ? connectionsPerAddressMax : max(1, connectionsMax / 4)
    }

    /// The size of the library's memory for a connection: the headers, the library's notes about
    /// each field, and the head of the answer. More memory would cost time, because the library
    /// clears all of the memory after each request. Before each answer, the library clears nearly
    /// half of the memory, and the free part of the read buffer.
    ///
    /// The bound on headers includes the library's notes. The headers and the head of the answer
    /// are in the memory at the same time, so the size is the sum of their bounds. With less
    /// memory, the library could not answer some requests within the bound on headers.
    var connectionMemoryBytes: Int { max(headersBytesMax, uriBytesMax) + Self.answerHeadBytes }

    /// The overhead of a header field, in bytes. The bound on headers counts the overhead in
    /// addition to the field's name and value. The library's note about the field has this size
    /// (`struct MHD_HTTP_Header`, aligned).
    static let fieldOverheadBytes = 64
    /// The memory, in bytes, for the head of an answer and for the input that follows a request's
    /// headers.
    static let answerHeadBytes = 2 << 10
}

/// The reason why a transport cannot start to serve.
package struct TransportError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The reason why the transport itself refuses a request.
package enum TransportFailure: Error, Sendable, Equatable {
    /// The request's framing or syntax is invalid or ambiguous. The connection is closed after the
    /// answer.
    case malformed(String)
    /// The request has a version of HTTP that is not served. The connection is closed.
    case versionNotSupported
    case headersTooLarge(limit: Int)
    case tooManyFields(limit: Int)
    case uriTooLong(limit: Int)
    case bodyTooLarge(limit: Int)
    /// All bodies together would exceed this number of bytes, or all bodies and answers would
    /// exceed their common bound.
    case bodiesLimit(Int)
    /// The bodies and answers of the client's address or principal would exceed this many bytes.
    case bodiesLimitPerClient(Int)
    case timeout(String, seconds: Int)
    case connectionLimit(Int)
    /// The client's address has as many connections as an address may have.
    case connectionLimitPerAddress(Int)
    case stopping
}

/// The mode and the group of a unix socket's file. A client needs the permission to write to the
/// file.
package struct SocketAccess: Sendable, Equatable {
    /// The file's mode, 0 to 0o777.
    package var mode: UInt32
    /// The group that the file belongs to; `nil` for the group of the process.
    package var groupID: UInt32?

    package init(mode: UInt32 = 0o660, group: UInt32? = nil) {
        self.mode = mode
        self.groupID = group
    }

    /// Reads a mode in octal digits, such as `0660` or `660`. Returns `nil` if the text has another
    /// form.
    package static func parsedMode(_ text: String) -> UInt32? {
        guard 3...4 ~= text.utf8.count, let mode = UInt32(text, radix: 8), mode <= 0o777 else {
            return nil
        }
        return text.utf8.allSatisfy { 48...55 ~= $0 } ? mode : nil
    }

    /// Returns the number of the group with this number or name; `nil` if no group has this name.
    package static func groupID(named text: String) -> UInt32? {
        if let number = UInt32(text) { return number }
        var entry = group_entry()
        var found: UnsafeMutablePointer<group_entry>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
            guard
                getgrnam_r(text, &entry, buffer.baseAddress, buffer.count, &found) == 0,
                found != nil
            else { return nil }
            return entry.gr_gid
        }
    }

    private typealias group_entry = Glibc.group
}
