import StoreHTTPTransport

/// The proxies that are trusted to name the client's address, in `Forwarded` (RFC 7239) or
/// `X-Forwarded-For`.
package struct TrustedProxies: Sendable {
    private let ranges: [AddressRange]
    private let trustsUnixSockets: Bool

    /// Reads ranges and addresses such as `10.0.0.0/8` and `2001:db8::1`, and the word `unix`.
    /// Returns `nil` if a text is none of these.
    package init?(_ texts: [String]) {
        var ranges: [AddressRange] = []
        for text in texts where text != "unix" {
            guard let range = AddressRange(text) else { return nil }
            ranges.append(range)
        }
        self.ranges = ranges
        trustsUnixSockets = texts.contains("unix")
    }

    /// Returns the client of a request that a trusted proxy has passed on. Returns `nil` if the
    /// peer itself is the client, or if the proxy's fields can't be read.
    ///
    /// Each proxy adds an address at the end, so the client is the last address that is no proxy's.
    /// The client may have invented every address before its own. If `Forwarded` and
    /// `X-Forwarded-For` are both present, the client may have sent one of them. So the two fields
    /// count only if they name the same client.
    func forwardedClient(of request: HTTPExchange) -> ClientAddress? {
        guard trusts(request.client) else { return nil }
        var forwarded = LastNonProxy()
        var list = LastNonProxy()
        request.forEachValue(of: "forwarded") { value in
            ForwardedField.visitForwarded(value) { forwarded.take($0, isProxy: trusts) }
        }
        request.forEachValue(of: "x-forwarded-for") { value in
            ForwardedField.visitXForwardedFor(value) { list.take($0, isProxy: trusts) }
        }
        guard forwarded.isEmpty || list.isEmpty || forwarded.address == list.address else {
            return nil
        }
        return (forwarded.isEmpty ? list : forwarded).address.map { .internet($0) }
    }

    /// True if the client's connection to a trusted proxy used TLS, according to `Forwarded` or
    /// `X-Forwarded-Proto`. If there are several proxies, the entry of the first proxy decides.
    func isOverTLS(_ request: HTTPExchange) -> Bool {
        guard trusts(request.peer) else { return false }
        let forwarded = request.withHeader("forwarded") { ForwardedField.isOverTLS($0) }
        return forwarded == true
            || request.withHeader("x-forwarded-proto") { ForwardedField.beginsWithHTTPS($0) }
                == true
    }

    private func trusts(_ peer: ClientAddress) -> Bool {
        switch peer {
        case .internet(let address): trusts(address)
        case .unix: trustsUnixSockets
        case .unknown: false
        }
    }

    private func trusts(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }
}

/// Finds, in a sequence of addresses, the last address that is no proxy's. If all addresses belong
/// to proxies, finds the first address.
private struct LastNonProxy {
    private(set) var isEmpty = true
    /// The found address; `nil` if the found element is no address.
    private(set) var address: IPAddress?

    mutating func take(_ next: IPAddress?, isProxy trusts: (IPAddress) -> Bool) {
        if let next, trusts(next), !isEmpty { return }
        (address, isEmpty) = (next, false)
    }
}
