import CStoreHTTPD
import Glibc

/// A listening socket that the process got at its start. The socket comes from systemd
/// (sd_listen_fds(3)), or from a program that listens and then starts the server.
package struct InheritedSocket: Sendable, Equatable {
    /// The first descriptor that a service manager passes.
    package static let firstDescriptor: CInt = 3

    package let descriptor: CInt
    package let endpoint: ListenAddress.Endpoint

    /// Takes a descriptor, and reads the address at which its socket listens.
    ///
    /// - Throws: ``TransportError`` if the descriptor is not a listening stream socket.
    package init(_ descriptor: Int32) throws(TransportError) {
        func refusal(_ reason: String) -> TransportError {
            TransportError("can't listen on fd:\(descriptor): \(reason)")
        }
        guard fcntl(descriptor, F_GETFD) >= 0 else {
            throw refusal("the process was started without this descriptor")
        }
        guard let type = SocketOption.number(SO_TYPE, of: descriptor) else {
            throw refusal("it is no socket")
        }
        guard type == CInt(SOCK_STREAM.rawValue) else { throw refusal("it is no stream socket") }
        guard SocketOption.number(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw refusal("the socket does not listen")
        }
        guard let place = SocketAddress(of: descriptor, by: getsockname).endpoint else {
            throw refusal("the socket is no IPv4, IPv6 or unix socket")
        }
        self.descriptor = descriptor
        self.endpoint = place
    }

    /// Returns the descriptors that a service manager has passed to this process. Returns an empty
    /// list if `LISTEN_PID` names another process, or `LISTEN_FDS` is not a number from 1 to 64.
    package static func passedDescriptors(
        in environment: [String: String],
        to process: Int32 = getpid()
    ) -> [CInt] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let count = environment["LISTEN_FDS"].flatMap({ CInt($0) }),
            1...passedDescriptorsMax ~= count
        else { return [] }
        return Array(firstDescriptor..<(firstDescriptor + count))
    }

    private static let passedDescriptorsMax: CInt = 64
}
