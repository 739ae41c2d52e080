import CStoreHTTPD
import Glibc
import StorePlatform

/// A listening socket of the event loop's own. The library does not listen, so the loop decides
/// about bounds and refusals.
final class Listener {
    /// The most connections that wait to be accepted.
    static let backlog: CInt = 4_096

    let descriptor: CInt
    /// The address as bound, with the port that the system chose if the port was 0.
    let address: ListenAddress
    /// True if the listener is for operators, apart from clients.
    let isAdmin: Bool

    /// The file of a unix socket that was made here.
    private let file: SocketFile?

    init(
        _ address: ListenAddress,
        _ access: SocketAccess = SocketAccess(),
        isAdmin: Bool = false
    ) throws(TransportError) {
        self.isAdmin = isAdmin
        if let inherited = address.inherited {
            descriptor = try Self.take(inherited)
            self.address = address
            file = nil
            return
        }
        switch address.place {
        case .inet(let host, let port):
            var socketAddress = sockaddr_in()
            socketAddress.sin_family = sa_family_t(AF_INET)
            socketAddress.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &socketAddress.sin_addr)
            descriptor = try Self.listen(AF_INET, &socketAddress, address)
            self.address = ListenAddress(
                place: .inet(host: host, port: Self.port(of: descriptor))
            )
            file = nil
        case .inet6(let host, let port):
            var socketAddress = sockaddr_in6()
            socketAddress.sin6_family = sa_family_t(AF_INET6)
            socketAddress.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &socketAddress.sin6_addr)
            descriptor = try Self.listen(AF_INET6, &socketAddress, address)
            self.address = ListenAddress(
                place: .inet6(host: host, port: Self.port(of: descriptor))
            )
            file = nil
        case .unix(let path):
            try SocketFile.removeStale(path)
            var socketAddress = SocketFile.address(path)
            let descriptor = try Self.listen(AF_UNIX, &socketAddress, address, access.mode)
            do {
                file = try SocketFile(path, access)
            } catch {
                Glibc.close(descriptor)
                throw error
            }
            self.descriptor = descriptor
            self.address = address
        }
    }

    /// Ends listening. Accepted connections go on.
    func close() {
        Glibc.close(descriptor)
        file?.remove()
    }

    /// Takes over a socket that listens already. The socket stays with its manager, which may go on
    /// listening for the next process.
    private static func take(_ inherited: InheritedSocket) throws(TransportError) -> CInt {
        let descriptor = inherited.descriptor
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else {
            throw TransportError("can't listen on fd:\(descriptor): \(SystemError.text)")
        }
        return descriptor
    }

    private static func listen<A>(
        _ family: CInt,
        _ socketAddress: inout A,
        _ address: ListenAddress,
        _ mode: UInt32? = nil
    ) throws(TransportError) -> CInt {
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else {
            throw TransportError("can't listen on \(address.url): \(SystemError.text)")
        }
        var yes: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if family == AF_INET6 {
            setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size)
        }
        // The file that bind(2) makes has at most this mode, so no other user can connect in the
        // meantime.
        if let mode { fchmod(descriptor, mode_t(mode)) }
        let bound = withUnsafePointer(to: &socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<A>.size))
            }
        }
        guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let reason = SystemError.text
            Glibc.close(descriptor)
            throw TransportError("can't listen on \(address.url): \(reason)")
        }
        return descriptor
    }

    private static func port(of descriptor: CInt) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        return withUnsafeBytes(of: &storage) {
            // The port has the same offset in both families (sockaddr_in, sockaddr_in6).
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
