import Glibc
import StorePlatform

/// The service manager that started the process. The process reports its state to the manager by
/// the protocol of sd_notify(3): datagrams to the socket that `NOTIFY_SOCKET` names.
package struct ServiceManager: Sendable {
    private let socketPath: String
    /// The maximum time between two calls of ``reportAlive()``, in seconds; `nil` if the manager
    /// expects no such calls.
    package let watchdogSeconds: Double?

    /// Reads the variables of the manager. Returns `nil` if there is no manager, or if
    /// `NOTIFY_SOCKET` is not the path of a socket.
    package init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            (2...Self.pathBytesMax).contains(path.utf8.count)
        else { return nil }
        self.socketPath = path
        // `WATCHDOG_USEC` may be meant for another process (sd_watchdog_enabled(3)).
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(UInt64.init) ?? 0
        watchdogSeconds = isMeant && microseconds > 0 ? Double(microseconds) / 1e6 : nil
    }

    /// Reports that the server is ready. `status` is a text for people.
    package func reportReady(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Reports that the server begins to read its configuration again. ``reportReady(_:)`` reports
    /// the end.
    package func reportReloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(SystemTime.steadyNanoseconds() / 1_000)")
    }

    package func reportStopping() { send("STOPPING=1\nSTATUS=stopping") }

    package func reportAlive() { send("WATCHDOG=1") }

    /// The maximum length of a socket's path in bytes, without the zero byte at its end (unix(7)).
    private static let pathBytesMax = 107

    /// Sends a state. Ignores errors, because the manager notices a missing report.
    private func send(_ state: String) {
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(socketPath.utf8)
        // An abstract name begins with a zero byte; the variable has an at sign in place of the
        // zero byte.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + bytes.count } ?? 0
        let message = Array(state.utf8)
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor,
                    message,
                    message.count,
                    CInt(MSG_NOSIGNAL | MSG_DONTWAIT),
                    $0,
                    socklen_t(length)
                )
            }
        }
    }
}
