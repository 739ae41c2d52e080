import Glibc
import StoreHTTPTransport
import StoreWire

/// Refuses with 421 a request whose `Host` names another server. A browser sends such a request for
/// a page that has its own name rebound to this address.
final class HostFilter: Sendable {
    private let hosts: HostRule
    // Safety: only the event loop's thread, which admits requests, accesses it.
    /// The authority that was allowed last. Most requests have the same one, so one comparison of
    /// bytes is enough for them.
    @exclusivity(unchecked) private nonisolated(unsafe) var allowedLast: [UInt8] = []

    init(_ hosts: HostRule) {
        self.hosts = hosts
    }

    /// Checks the authority of a request.
    ///
    /// - Throws: 421 if the server may not be reached under it.
    func check(_ exchange: HTTPExchange) throws(Problem) {
        let isAllowedLast = exchange.withHost { host in
            guard let host, host.count == allowedLast.count, let start = host.baseAddress else {
                return false
            }
            return memcmp(start, allowedLast, host.count) == 0
        }
        if isAllowedLast { return }
        guard hosts.allows(exchange.host) else { throw .misdirected(host: exchange.host ?? "") }
        allowedLast = exchange.withHost { $0.map { Array($0) } ?? [] }
    }
}
