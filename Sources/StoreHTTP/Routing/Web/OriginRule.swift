import StoreHTTPTransport
import StoreTexts
import StoreWire

/// From which pages a browser's request may change something, or open a stream.
///
/// A server on loopback is within reach of every page that is open on the machine, and a browser
/// sends a POST without a body, and so without a type, wherever a page likes.
package struct OriginRule: Sendable {
    /// Origins beside the server's own, as browsers write them.
    private let allowed: [[UInt8]]

    init(_ allowed: [String]) {
        self.allowed = allowed.map { Array($0.utf8) }
    }

    /// The place of the request's `Origin` among those that are allowed beside the own; `nil` where
    /// it has none, or another.
    func place(of request: HTTPExchange) -> Int? {
        if allowed.isEmpty { return nil }
        var place: Int?
        var count = 0
        request.visit("origin") { value in
            count += 1
            place = allowed.firstIndex { value.elementsEqual($0) }
        }
        return count == 1 ? place : nil
    }

    /// - Throws: 403 for what a page of an origin sends that is not allowed: one that `Origin`
    ///   names, or of which a browser says so in `Sec-Fetch-Site` (Fetch Metadata).
    func require(_ request: HTTPExchange) throws(Problem) {
        guard request.has("origin") || request.has("sec-fetch-site") else { return }
        if place(of: request) != nil { return }
        let site = request.header("sec-fetch-site")?.lowercasedASCII
        let isOwnSite = site.map { ["same-origin", "none"].contains(exactly: $0) } ?? true
        guard isOwnSite, isOwnOrigin(request) else { throw Self.refused }
    }

    /// The same for what a browser sends with `Origin` in any case: whatever has a body. So it is
    /// looked at in no other field.
    ///
    /// - Throws: 403.
    func requireNamed(_ request: HTTPExchange) throws(Problem) {
        if request.has("origin") { try require(request) }
    }

    private func isOwnOrigin(_ request: HTTPExchange) -> Bool {
        guard let origin = request.headerList("origin")?.lowercasedASCII else { return true }
        let host = (request.host ?? "").lowercasedASCII
        return ["http://\(host)", "https://\(host)"].contains(exactly: origin)
    }

    private static let refused = Problem.forbidden(
        "This does nothing for pages of another origin than its own. Ask without a browser, for "
            + "instance with curl, or start the server with --cors-origin for the page's origin."
    )
}

extension OriginRule {
    /// Whether a text is an origin as browsers write it (RFC 6454, section 6.2): a scheme, a host,
    /// and a port that is not the scheme's usual one. `*` is none, and neither is `null`, which all
    /// sandboxed pages have in common.
    package static func isOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= textBytesMax, isScheme(parts[0]) else {
            return false
        }
        let host = HostRule.withoutPort(String(parts[1]))
        guard HostRule.isHost(String(host)), host.utf8.allSatisfy({ !(65...90 ~= $0) }),
            host.hasPrefix("[") || !host.contains(":")
        else { return false }
        let rest = parts[1].utf8.dropFirst(host.utf8.count)
        guard let colon = rest.first else { return true }
        guard colon == UInt8(ascii: ":"), let port = UInt16(String(Substring(rest.dropFirst()))),
            String(port).utf8.elementsEqual(rest.dropFirst())
        else { return false }
        return port != (["http": 80, "https": 443][String(parts[0])] ?? 0)
    }

    /// The longest origin that is taken.
    private static let textBytesMax = 320

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, 97...122 ~= first else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 97...122, 48...57, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
    }
}
