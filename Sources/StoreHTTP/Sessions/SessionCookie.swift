import StoreAdmission
import StoreHTTPTransport

/// The cookie with the secret of a client's session (RFC 6265).
///
/// Each store of a process has its own name for the cookie. The names differ, because a client
/// sends the cookie of the store at `/` to all stores, whose paths also begin with `/`.
struct SessionCookie: Sendable {
    let name: String
    private let path: String
    private let namePrefix: [UInt8]

    init(for links: Links) {
        name = "store-session" + (links.storeName.map { "-" + $0 } ?? "")
        path = links.index
        namePrefix = Array("\(name)=".utf8)
    }

    /// Returns the header field that gives a client its secret. The cookie's path is the path of
    /// this store, and scripts of a page can't read the cookie. A browser sends a secure cookie
    /// only over TLS.
    func settingField(_ secret: String, isSecure: Bool) -> (String, String) {
        let value = "\(name)=\(secret); Path=\(path); HttpOnly; SameSite=Strict"
        return ("Set-Cookie", value + (isSecure ? "; Secure" : ""))
    }

    func deletingField(isSecure: Bool) -> (String, String) {
        let (name, value) = settingField("", isSecure: isSecure)
        return (name, value + "; Max-Age=0")
    }

    func secret(of exchange: HTTPExchange) -> Substring? {
        exchange.cookieValue(afterPrefix: namePrefix)
    }
}
