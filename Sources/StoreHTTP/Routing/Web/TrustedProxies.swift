import StoreHTTPTransport

/// The proxies whose word about a client's address is taken, from `Forwarded` (RFC 7239) or
/// `X-Forwarded-For`.
package struct TrustedProxies: Sendable {
    private let ranges: [AddressRange]
    private let trustsUnixSockets: Bool

    /// Reads `10.0.0.0/8`, `2001:db8::1` and `unix`; `nil` where one is none of these.
    package init?(_ texts: [String]) {
        var ranges: [AddressRange] = []
        for text in texts where text != "unix" {
            guard let range = AddressRange(text) else { return nil }
            ranges.append(range)
        }
        self.ranges = ranges
        trustsUnixSockets = texts.contains("unix")
    }

    /// The client of a request that such a proxy has passed on; `nil` where the peer itself is the
    /// client, or where what it says can't be read.
    ///
    /// The addresses are those that one proxy after another has added, so the last of them that is
    /// no proxy's is the client: whatever stands before it, the client has written itself. Where
    /// both fields are there, a proxy may have set one and passed the other on as the client wrote
    /// it; so they count only where they agree.
    func client(of request: HTTPExchange) -> ClientAddress? {
        guard trusts(request.client) else { return nil }
        var forwarded = LastStranger()
        var list = LastStranger()
        request.visit("forwarded") { value in
            ForwardedField.visit(value) { forwarded.take($0, isProxy: trusts) }
        }
        request.visit("x-forwarded-for") { value in
            ForwardedField.visitList(value) { list.take($0, isProxy: trusts) }
        }
        switch (forwarded.isEmpty, list.isEmpty) {
        case (true, true): return nil
        case (false, true): return forwarded.address.map { .internet($0) }
        case (true, false): return list.address.map { .internet($0) }
        case (false, false):
            guard forwarded.address == list.address else { return nil }
            return list.address.map { .internet($0) }
        }
    }

    /// Whether a client has come over TLS to such a proxy, which has passed its request on: the
    /// proxy says so in `Forwarded` or `X-Forwarded-Proto`. Of several proxies, the first decides.
    func isOverTLS(_ request: HTTPExchange) -> Bool {
        guard trusts(request.peer) else { return false }
        let forwarded = request.withHeader("forwarded") { ForwardedField.isOverTLS($0) }
        return forwarded == true
            || request.withHeader("x-forwarded-proto") { ForwardedField.isHTTPS($0) } == true
    }

    private func trusts(_ peer: ClientAddress) -> Bool {
        switch peer {
        case .internet(let address): trusts(address)
        case .unix: trustsUnixSockets
        case .unknown: false
        }
    }

    private func trusts(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }
}

/// The last address that is no proxy's, of those that are taken in their order; where all are
/// proxies', the first.
private struct LastStranger {
    private(set) var isEmpty = true
    /// `nil` where what stands in its place is no address.
    private(set) var address: IPAddress?
    private var isProxy = false

    mutating func take(_ next: IPAddress?, isProxy trusts: (IPAddress) -> Bool) {
        guard let next else {
            self = LastStranger()
            isEmpty = false
            return
        }
        if trusts(next) {
            guard isEmpty else { return }
            isProxy = true
        }
        address = next
        isEmpty = false
    }
}
