import StoreHTTPTransport
import StoreWire

/// The cookie with a browser's credential, because `EventSource` can't send header fields.
///
/// Each store of a process has its own name for the cookie, as for the cookie of sessions.
package struct CredentialCookie: Sendable {
    let name: String
    private let path: String
    private let beginning: [UInt8]
    /// True if browsers send the cookie over TLS alone; `nil` if they do so except for a loopback
    /// host.
    private let isSecure: Bool?

    init(for links: Links, isSecure: Bool?) {
        name = "store-auth" + (links.store.map { "-" + $0 } ?? "")
        path = links.index
        beginning = Array("\(name)=".utf8)
        self.isSecure = isSecure
    }

    /// Returns the header field that sets the cookie. The scripts of a page can't read it
    /// (`HttpOnly`).
    func set(_ value: String, seconds: Int64, for request: HTTPExchange) -> (String, String) {
        let isSecure = isSecure ?? !HostRule.isLoopback(request)
        return (
            "Set-Cookie",
            "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
                + (isSecure ? "; Secure" : "")
        )
    }

    /// Returns the header field that deletes the cookie.
    func forget(for request: HTTPExchange) -> (String, String) {
        set("", seconds: 0, for: request)
    }

    /// Returns the value of the cookie; `nil` if the request does not have it.
    func value(of request: HTTPExchange) -> Substring? {
        request.cookie(beginning)
    }
}
