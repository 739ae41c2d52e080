import HTTPTransport
import Wire

/// The cookie by which a browser shows who it is: `EventSource` has no header fields of its own.
///
/// Each store of a process has a name of its own for it, as for the cookie of sessions.
package struct CredentialCookie: Sendable {
    let name: String
    private let beginning: [UInt8]
    private let attributes: String

    /// - Parameters:
    ///   - links: the store that it is for.
    ///   - isSecure: whether browsers show it over TLS alone.
    package init(for links: Links, isSecure: Bool) {
        name = "store-auth" + (links.store.map { "-" + $0 } ?? "")
        beginning = Array("\(name)=".utf8)
        attributes =
            "Path=\(links.index); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    /// Gives it to a client, out of reach of a page's scripts.
    func set(_ value: String, seconds: Int64) -> (String, String) {
        ("Set-Cookie", "\(name)=\(value); \(attributes); Max-Age=\(seconds)")
    }

    /// Takes it from a client.
    var forgotten: (String, String) { ("Set-Cookie", "\(name)=; \(attributes); Max-Age=0") }

    /// Its value, where a request shows it.
    func value(of exchange: HTTPExchange) -> Substring? {
        exchange.cookie(beginning)
    }
}
