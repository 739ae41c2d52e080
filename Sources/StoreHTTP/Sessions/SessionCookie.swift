import HTTPTransport
import Wire

/// The cookie by which a client shows which session it has (RFC 6265).
enum SessionCookie {
    static let name = "store-session"

    /// Gives a client its secret: for this server alone, and out of reach of a page's scripts.
    static func set(_ secret: String, for links: Links) -> (String, String) {
        ("Set-Cookie", "\(name)=\(secret); Path=\(links.index); HttpOnly; SameSite=Strict")
    }

    /// Takes the secret from a client.
    static func forget(for links: Links) -> (String, String) {
        ("Set-Cookie", "\(name)=; Path=\(links.index); HttpOnly; SameSite=Strict; Max-Age=0")
    }

    /// The secret that a request shows, where it shows one.
    static func secret(of exchange: HTTPExchange) -> Substring? {
        guard let header = exchange.header("cookie") else { return nil }
        // Bytes are looked at: U+037E is a semicolon to `Character`, and with a combining mark
        // behind it, the equals sign is another character.
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard pair.starts(with: "\(name)=".utf8) else { continue }
            return Substring(pair.dropFirst(name.utf8.count + 1))
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
