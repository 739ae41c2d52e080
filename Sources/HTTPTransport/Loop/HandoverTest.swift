import CHTTPD
import Glibc

/// Finds out whether the libmicrohttpd that is loaded leaves a socket alone that was duplicated
/// before the library closed its own descriptor. Versions differ, and streams depend on it.
enum HandoverTest {
    private final class Probe {
        var duplicate: CInt = -1
    }

    /// Runs one request through a daemon of its own, over a pair of sockets.
    static func succeeds() -> Bool {
        var pair: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return false }
        defer { close(pair[1]) }
        let probe = Probe()
        defer { if probe.duplicate >= 0 { close(probe.duplicate) } }
        guard serve(probe, pair[0], peer: pair[1]), probe.duplicate >= 0 else { return false }
        // Had the library shut the socket down, writing would fail and the peer would read the end.
        var byte = UInt8(ascii: "x")
        guard send(probe.duplicate, &byte, 1, CInt(MSG_NOSIGNAL)) == 1 else { return false }
        var got: UInt8 = 0
        guard recv(pair[1], &got, 1, 0) == 1, got == byte else { return false }
        return recv(pair[1], &got, 1, 0) < 0 && errno == EAGAIN
    }

    private static func serve(_ probe: Probe, _ descriptor: CInt, peer: CInt) -> Bool {
        var callbacks = chttpd_callbacks(
            context: Unmanaged.passUnretained(probe).toOpaque(),
            request_began: { _, _, _ in nil },
            access: { context, connection, _, _, _, _, _ in
                Unmanaged<Probe>.fromOpaque(context).takeUnretainedValue().duplicate =
                    fcntl(chttpd_socket(connection), F_DUPFD_CLOEXEC, 3)
                return CHTTPD_CLOSE
            },
            request_ended: { _, _ in },
            connection_opened: { _, _ in nil },
            connection_closed: { _, _ in },
            log: { _, _ in }
        )
        guard let daemon = chttpd_start(&callbacks, 16 << 10, 4, 10) else {
            close(descriptor)
            return false
        }
        defer { chttpd_stop(daemon) }
        let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard send(peer, request, request.count, CInt(MSG_NOSIGNAL)) == request.count else {
            close(descriptor)
            return false
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let added = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                chttpd_add(daemon, descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard added != 0 else { return false }
        for _ in 0..<16 { chttpd_run(daemon) }
        return true
    }
}
