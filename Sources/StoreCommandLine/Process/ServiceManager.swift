import Glibc
import StorePlatform

/// Reports the process's state to the service manager that started it. The protocol is
/// sd_notify(3): datagrams to the socket that `NOTIFY_SOCKET` names.
package struct ServiceManager: Sendable {
    private let path: String
    /// The seconds within which the manager expects a sign of life; `nil` if it expects none.
    package let watchdogSeconds: Double?

    /// Reads the variables of the manager; returns `nil` if there is no manager, or `NOTIFY_SOCKET`
    /// has another form.
    package init?(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            (2...Self.pathBytesMax).contains(path.utf8.count)
        else { return nil }
        self.path = path
        // The variable may be meant for the parent process (sd_watchdog_enabled(3)).
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(UInt64.init) ?? 0
        watchdogSeconds = isMeant && microseconds > 0 ? Double(microseconds) / 1e6 : nil
    }

    /// Reports that the server serves; `status` is for people.
    package func reportReady(_ status: String) { send("READY=1\nSTATUS=\(status)") }

    /// Reports that the configuration is being read again; ``reportReady(_:)`` reports the end.
    package func reportReloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(SystemTime.steadyNanoseconds() / 1_000)")
    }

    package func reportStopping() { send("STOPPING=1\nSTATUS=stopping") }

    package func reportAlive() { send("WATCHDOG=1") }

    /// The maximum length of a socket's path in bytes, which leaves room for a zero after it
    /// (unix(7)).
    private static let pathBytesMax = 107

    /// Sends a state. If the manager does not receive it, the state is dropped: the manager notices
    /// the missing report.
    private func send(_ state: String) {
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        // An abstract name begins with a zero byte, and is written with an at sign.
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
