import StoreHTTPTransport
import StoreWire

/// The cookie by which a client shows which session it has (RFC 6265).
///
/// Each store of a process has a name of its own for it: a client shows that of the store at `/` to
/// all of them, because their paths begin with `/`.
struct SessionCookie: Sendable {
    let name: String
    private let path: String
    private let beginning: [UInt8]

    init(for links: Links) {
        name = "store-session" + (links.store.map { "-" + $0 } ?? "")
        path = links.index
        beginning = Array("\(name)=".utf8)
    }

    /// Gives a client its secret: for this store alone, and out of reach of a page's scripts. If it
    /// is secure, a browser sends it over TLS alone.
    func set(_ secret: String, isSecure: Bool) -> (String, String) {
        field(secret, isSecure)
    }

    /// Takes the secret from a client.
    func forget(isSecure: Bool) -> (String, String) {
        let (name, value) = field("", isSecure)
        return (name, value + "; Max-Age=0")
    }

    private func field(_ value: String, _ isSecure: Bool) -> (String, String) {
        (
            "Set-Cookie",
            "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict"
                + (isSecure ? "; Secure" : "")
        )
    }

    /// The secret that a request shows, where it shows one.
    func secret(of exchange: HTTPExchange) -> Substring? {
        exchange.cookie(beginning)
    }
}

extension HTTPExchange {
    /// The value of the cookie that begins with these bytes, the name and the equals sign; `nil`
    /// where the request does not show it.
    func cookie(_ beginning: [UInt8]) -> Substring? {
        guard let header = header("cookie") else { return nil }
        // Bytes are looked at: U+037E is a semicolon to `Character`, and with a combining mark
        // behind it, the equals sign is another character.
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard pair.starts(with: beginning) else { continue }
            return Substring(pair.dropFirst(beginning.count))
        }
        return nil
    }
}

extension Store {
    /// Keeps the session of a stream or of a request that waits from being idle until the hold
    /// ends.
    package func hold(_ session: String?) -> SessionHold? {
        session.flatMap { sessions?.hold($0) }
    }
}
