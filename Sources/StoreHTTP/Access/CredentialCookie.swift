import StoreHTTPTransport
import StoreWire

/// The cookie by which a browser shows who it is: `EventSource` has no header fields of its own.
///
/// Each store of a process has a name of its own for it, as for the cookie of sessions.
package struct CredentialCookie: Sendable {
    let name: String
    private let path: String
    private let beginning: [UInt8]
    /// Whether browsers show it over TLS alone; `nil` where that is so unless they name loopback.
    private let isSecure: Bool?

    init(for links: Links, isSecure: Bool?) {
        name = "store-auth" + (links.store.map { "-" + $0 } ?? "")
        path = links.index
        beginning = Array("\(name)=".utf8)
        self.isSecure = isSecure
    }

    /// Gives it to the client that sent a request, out of reach of a page's scripts.
    func set(_ value: String, seconds: Int64, for request: HTTPExchange) -> (String, String) {
        let isSecure = isSecure ?? !HostRule.isLoopback(request)
        return (
            "Set-Cookie",
            "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
                + (isSecure ? "; Secure" : "")
        )
    }

    /// Takes it from a client.
    func forget(for request: HTTPExchange) -> (String, String) {
        set("", seconds: 0, for: request)
    }

    /// Its value, where a request shows it.
    func value(of request: HTTPExchange) -> Substring? {
        request.cookie(beginning)
    }
}
