package import StoreHTTPTransport
import StoreTexts
package import StoreWire

/// The web pages whose requests may change data or open streams.
///
/// Every page that is open on a machine can reach a server at the machine's loopback address. If a
/// POST has no body, and therefore no `Content-Type`, a browser sends the POST to any server that a
/// page names.
package struct OriginRule: Sendable {
    /// The allowed origins, without the server's own origin, as browsers write them.
    private let allowedOrigins: [[UInt8]]

    init(_ allowed: [String]) { self.allowedOrigins = allowed.map { Array($0.utf8) } }

    /// Returns the index of the request's `Origin` among the allowed origins. Returns `nil` if the
    /// request has no `Origin`, several `Origin` fields, or an origin that is not allowed.
    func allowedIndex(of request: HTTPExchange) -> Int? {
        if allowedOrigins.isEmpty { return nil }
        var place: Int?
        var count = 0
        request.forEachValue(of: "origin") { value in
            count += 1
            place = allowedOrigins.firstIndex { value.elementsEqual($0) }
        }
        return count == 1 ? place : nil
    }

    /// Checks the origin of a request. Browsers name the origin in `Origin`, or describe the origin
    /// in `Sec-Fetch-Site` (Fetch Metadata).
    ///
    /// - Throws: 403 if the origin is neither the server's own nor allowed.
    package func check(_ request: HTTPExchange) throws(Problem) {
        guard request.hasHeader("origin") || request.hasHeader("sec-fetch-site") else { return }
        if allowedIndex(of: request) != nil { return }
        let site = request.header("sec-fetch-site")?.lowercasedASCII
        let isOwnSite = site.map { ["same-origin", "none"].contains(exactly: $0) } ?? true
        guard isOwnSite, isOwnOrigin(request) else { throw Self.refusalProblem }
    }

    /// Checks the origin of a request only if the request has `Origin`. The check is enough for a
    /// request with a body, because a browser sends `Origin` with every body.
    ///
    /// - Throws: 403 if the origin is neither the server's own nor allowed.
    package func checkOriginField(of request: HTTPExchange) throws(Problem) {
        if request.hasHeader("origin") { try check(request) }
    }

    private func isOwnOrigin(_ request: HTTPExchange) -> Bool {
        guard let origin = request.headerList("origin")?.lowercasedASCII else { return true }
        let host = (request.host ?? "").lowercasedASCII
        return ["http://\(host)", "https://\(host)"].contains(exactly: origin)
    }

    private static let refusalProblem = Problem.forbidden(
        "This resource refuses requests from pages of other origins. Send the request without a "
            + "browser, for instance with curl, or start the server with --cors-origin for "
            + "the page's origin."
    )
}

extension OriginRule {
    /// True if a text is an origin as browsers write it (RFC 6454, section 6.2). An origin has a
    /// scheme, a host, and perhaps a port other than the scheme's default. `*` and `null` are no
    /// origins here: all sandboxed pages have `null` in common.
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

    /// The maximum number of bytes in an origin.
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
