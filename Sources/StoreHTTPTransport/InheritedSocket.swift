import CStoreHTTPD
import Glibc

/// A listening socket that the process got at its start. Either systemd passes it
/// (sd_listen_fds(3)), or a program that listens first and then starts the server.
package struct InheritedSocket: Sendable, Equatable {
    /// The first descriptor that a manager passes.
    package static let firstDescriptor: CInt = 3

    package let descriptor: CInt
    /// The address or path at which the socket listens.
    package let place: ListenAddress.Place

    /// Examines a descriptor.
    ///
    /// - Throws: ``TransportError`` if it is not a listening stream socket.
    package init(_ descriptor: Int32) throws(TransportError) {
        func refused(_ reason: String) -> TransportError {
            TransportError("can't listen on fd:\(descriptor): \(reason)")
        }
        guard fcntl(descriptor, F_GETFD) >= 0 else {
            throw refused("the process was started without this descriptor")
        }
        guard let type = Self.option(SO_TYPE, of: descriptor) else {
            throw refused("it is no socket")
        }
        guard type == CInt(SOCK_STREAM.rawValue) else { throw refused("it is no stream socket") }
        guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw refused("the socket does not listen")
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isNamed = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard isNamed == 0, let place = Self.place(of: storage, Int(length)) else {
            throw refused("the socket is neither of IPv4 nor of IPv6, nor has it a path")
        }
        self.descriptor = descriptor
        self.place = place
    }

    /// Returns the descriptors that a manager has passed to this process. There are none if
    /// `LISTEN_PID` names another process, or `LISTEN_FDS` is not a number from 1 to 64.
    package static func passed(
        in environment: [String: String],
        to process: Int32 = getpid()
    ) -> [CInt] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }), 1...countMax ~= count
        else { return [] }
        return Array(firstDescriptor..<(firstDescriptor + count))
    }

    /// The most descriptors that are accepted.
    private static let countMax: CInt = 64

    private static func option(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 else { return nil }
        return value
    }

    private static func place(of storage: sockaddr_storage, _ length: Int) -> ListenAddress.Place? {
        withUnsafeBytes(of: storage) { bytes in
            // The port has the same offset in both families (sockaddr_in, sockaddr_in6).
            let port = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            switch CInt(storage.ss_family) {
            case AF_INET:
                let address = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                let host = IPAddress(v4: UInt32(bigEndian: address)).description
                return .inet(host: host, port: port)
            case AF_INET6:
                let address = bytes.loadUnaligned(fromByteOffset: 8, as: in6_addr.self)
                return .inet6(host: IPAddress(address).description, port: port)
            case AF_UNIX:
                let path = bytes[2..<max(2, min(length, bytes.count))]
                // The name of a socket without a file begins with NUL, and is shown in the form of
                // ss(8).
                let isAbstract = path.first == 0
                let name = isAbstract ? path.dropFirst() : path.prefix { $0 != 0 }
                return .unix(path: (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self))
            default: return nil
            }
        }
    }
}
