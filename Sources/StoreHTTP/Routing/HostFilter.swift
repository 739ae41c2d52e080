import Glibc
import StoreHTTPTransport
import StoreWire

/// 421 for a request that names another server, as a page that has a name rebound to this address
/// does.
final class HostFilter: Sendable {
    private let hosts: HostRule
    // Safety: only the event loop's thread, which admits requests, touches it.
    /// The authority that was allowed last: most requests have the same.
    @exclusivity(unchecked) private nonisolated(unsafe) var allowedLast: [UInt8] = []

    init(_ hosts: HostRule) {
        self.hosts = hosts
    }

    /// - Throws: 421.
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
