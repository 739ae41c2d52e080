import CStoreHTTPD
import Glibc
import StorePlatform

/// A listening socket of the event loop. The loop accepts connections in place of the library, so
/// that the loop can check bounds and refuse connections.
final class Listener {
    /// The maximum number of connections that wait to be accepted.
    static let backlog: CInt = 4_096

    let descriptor: CInt
    /// The bound address. If the configured port is 0, this address has the port that the system
    /// chose.
    let address: ListenAddress
    /// True if the listener is at an address for operators, and not for clients.
    let isAdmin: Bool

    private let file: SocketFile?

    init(
        _ address: ListenAddress,
        _ access: SocketAccess = SocketAccess(),
        isAdmin: Bool = false
    ) throws(TransportError) {
        self.isAdmin = isAdmin
        if let inherited = address.inheritedSocket {
            descriptor = try Self.take(inherited)
            self.address = address
            file = nil
            return
        }
        guard case .unix(let path) = address.endpoint else {
            descriptor = try Self.listen(at: address)
            let port = SocketAddress(of: descriptor, by: getsockname).port
            self.address = ListenAddress(endpoint: address.endpoint.with(port: port))
            file = nil
            return
        }
        try SocketFile.removeStale(path)
        descriptor = try Self.listen(at: address, access.mode)
        self.address = address
        do {
            file = try SocketFile(path, access)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Ends listening. Accepted connections stay open.
    func close() {
        Glibc.close(descriptor)
        file?.remove()
    }

    /// Takes over a socket that listens already. The service manager also has the socket, and may
    /// keep it open for the next process.
    private static func take(_ inherited: InheritedSocket) throws(TransportError) -> CInt {
        let descriptor = inherited.descriptor
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw TransportError("can't listen on fd:\(descriptor): \(SystemError.text)") }
        return descriptor
    }

    private static func listen(
        at address: ListenAddress,
        _ mode: UInt32? = nil
    ) throws(TransportError) -> CInt {
        let socketAddress = SocketAddress(address.endpoint)
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(socketAddress.family, type, 0)
        guard descriptor >= 0 else {
            throw TransportError("can't listen on \(address.url): \(SystemError.text)")
        }
        SocketOption.set(SO_REUSEADDR, of: descriptor, to: CInt(1))
        if socketAddress.family == AF_INET6 {
            SocketOption.set(IPV6_V6ONLY, at: CInt(IPPROTO_IPV6), of: descriptor, to: CInt(1))
        }
        // The file that bind(2) makes has at most this mode, so no other user can connect before
        // the file has its group.
        if let mode { fchmod(descriptor, mode_t(mode)) }
        let bound = socketAddress.withPointer { bind(descriptor, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let reason = SystemError.text
            Glibc.close(descriptor)
            throw TransportError("can't listen on \(address.url): \(reason)")
        }
        return descriptor
    }
}
