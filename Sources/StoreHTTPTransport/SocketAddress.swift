import CStoreHTTPD
import Glibc

/// The address of a socket in the system's form. The address becomes a text only for display.
struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// Reads an address with `getsockname` or `getpeername`. After an error, the address has no
    /// family.
    init(of descriptor: CInt, by read: AddressCall) {
        var storage = storage
        var length = length
        _ = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { read(descriptor, $0, &length) }
        }
        (self.storage, self.length) = (storage, length)
    }

    typealias AddressCall = (
        CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>
    ) -> CInt

    /// Makes the address of an endpoint at which a server listens.
    init(_ place: ListenAddress.Endpoint) {
        switch place {
        case .inet(let host, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            self.init(bytesOf: address)
        case .inet6(let host, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            self.init(bytesOf: address)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            self.init(bytesOf: address)
        }
    }

    /// Copies a `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
    init<Address>(bytesOf address: Address) {
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<Address>.size)
    }

    /// Accepts a connection, and takes its peer's address. After an error, `descriptor` is -1.
    init(accepting descriptor: inout CInt, from listener: CInt) {
        descriptor = chttpd_accept(listener, &storage, &length)
    }

    /// Calls a function of the system with a pointer to the address and the length of the address.
    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}

extension SocketAddress {
    var family: CInt { CInt(storage.ss_family) }

    /// The port, which has the same offset in both families (`sockaddr_in`, `sockaddr_in6`).
    var port: UInt16 { UInt16(bigEndian: load(at: 2)) }

    /// The address without its port.
    var address: ClientAddress {
        switch family {
        case AF_INET: .internet(IPAddress(v4: UInt32(bigEndian: load(at: 4))))
        case AF_INET6: .internet(IPAddress(load(at: 8) as in6_addr))
        case AF_UNIX: .unix
        default: .unknown
        }
    }

    /// The text `127.0.0.1:51234`, `[::1]:51234` or `unix`; `unknown` if the peer has left already.
    var text: String {
        switch family {
        case AF_INET: "\(address):\(port)"
        case AF_INET6: "[\(address)]:\(port)"
        default: address.description
        }
    }

    /// The endpoint at which a socket with this address listens; `nil` if the address has another
    /// family.
    var endpoint: ListenAddress.Endpoint? {
        switch family {
        case AF_INET: .inet(host: address.description, port: port)
        case AF_INET6: .inet6(host: address.description, port: port)
        case AF_UNIX: .unix(path: path)
        default: nil
        }
    }

    /// The path of a unix socket. A socket without a file has a name that begins with NUL. As in
    /// the output of ss(8), the text has `@` in place of this NUL.
    private var path: String {
        withUnsafeBytes(of: storage) { bytes in
            let path = bytes[2..<max(2, min(Int(length), bytes.count))]
            let isAbstract = path.first == 0
            let name = isAbstract ? path.dropFirst() : path.prefix { $0 != 0 }
            return (isAbstract ? "@" : "") + String(decoding: name, as: UTF8.self)
        }
    }

    private func load<Value>(at offset: Int) -> Value {
        withUnsafeBytes(of: storage) { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}

/// The options of sockets (`setsockopt(2)`).
enum SocketOption {
    /// Sets an option, if the system and the socket support the option.
    static func set<Value: BitwiseCopyable>(
        _ name: CInt,
        at level: CInt = SOL_SOCKET,
        of descriptor: CInt,
        to value: Value
    ) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
    }

    /// Sets the maximum number of unsent bytes that the kernel keeps for a socket; 0 for no bound.
    static func setUnsentBytesMax(of descriptor: CInt, to bytes: CInt) {
        set(TCP_NOTSENT_LOWAT, at: CInt(IPPROTO_TCP), of: descriptor, to: bytes)
    }

    /// Returns the value of an option that is a number; `nil` if the descriptor has no such option.
    static func number(_ name: CInt, of descriptor: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
