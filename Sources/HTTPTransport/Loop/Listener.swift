import CHTTPD
import Glibc
import Platform

/// A listening socket of our own, so that bounds and refusals are ours too.
final class Listener {
    /// How many connections may wait to be accepted.
    static let backlog: CInt = 4_096

    let descriptor: CInt
    /// The address with the port that the system chose, where it was asked to.
    let address: ListenAddress

    init(_ address: ListenAddress) throws(TransportError) {
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
        case .inet6(let host, let port):
            var socketAddress = sockaddr_in6()
            socketAddress.sin6_family = sa_family_t(AF_INET6)
            socketAddress.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &socketAddress.sin6_addr)
            descriptor = try Self.listen(AF_INET6, &socketAddress, address)
            self.address = ListenAddress(
                place: .inet6(host: host, port: Self.port(of: descriptor))
            )
        case .unix(let path):
            try Self.removeStale(path)
            var socketAddress = Self.unixAddress(path)
            descriptor = try Self.listen(AF_UNIX, &socketAddress, address)
            chmod(path, 0o660)
            self.address = address
        }
    }

    /// Ends listening; connections that were accepted go on.
    func close() {
        Glibc.close(descriptor)
        if case .unix(let path) = address.place { unlink(path) }
    }

    private static func listen<A>(
        _ family: CInt,
        _ socketAddress: inout A,
        _ address: ListenAddress
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
            // The port stands at the same place for both families (sockaddr_in, sockaddr_in6).
            UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    private static func unixAddress(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }

    /// Removes a socket that a killed server left behind, but not one on which a process accepts.
    private static func removeStale(_ path: String) throws(TransportError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw TransportError("can't listen on unix:\(path): there is a file of that name")
        }
        let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(probe) }
        var address = unixAddress(path)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected != 0 else {
            throw TransportError("can't listen on unix:\(path): a server listens there already")
        }
        unlink(path)
    }
}
