import HTTPTransport
import Wire

/// The cookie by which a client shows which session it has (RFC 6265).
enum SessionCookie {
    static let name = "store-session"

    /// Gives a client its secret: for this server alone, and out of reach of a page's scripts.
    static func set(_ secret: String) -> (String, String) {
        ("Set-Cookie", "\(name)=\(secret); Path=/; HttpOnly; SameSite=Strict")
    }

    /// Takes the secret from a client.
    static let forget = (
        "Set-Cookie", "\(name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
    )

    /// The secret that a request shows, where it shows one.
    static func secret(of exchange: HTTPExchange) -> Substring? {
        guard let header = exchange.header("cookie") else { return nil }
        // Bytes are looked at: U+037E is a semicolon to `Character`, and with a combining mark behind
        // it, the equals sign is another character.
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard pair.starts(with: "\(name)=".utf8) else { continue }
            return Substring(pair.dropFirst(name.utf8.count + 1))
        }
        return nil
    }
}

extension Store {
    /// The session that a request shows: none where it shows no cookie, or the state has no sessions.
    ///
    /// - Throws: 403 for a session that has ended.
    func sessions(of exchange: HTTPExchange) throws(Problem) -> [String] {
        guard let sessions, let secret = SessionCookie.secret(of: exchange) else { return [] }
        let name = SessionTable.name(of: String(secret))
        guard sessions.use(name) else {
            throw .forbidden(
                "The session of this cookie has ended. Begin another one with POST /sessions, or leave "
                    + "the cookie out to go without."
            )
        }
        return [name]
    }

    /// Keeps the session of a stream or of a request that waits from being idle until the hold ends.
    func hold(_ session: String?) -> SessionHold? {
        session.flatMap { sessions?.hold($0) }
    }

    /// Where a request comes from, as the log shows it: `127.0.0.1 curl/8.5.0`, with the session in
    /// between where there is one; `nil` where the operator has none of it kept.
    func origin(of exchange: HTTPExchange, in sessions: [String]) -> String? {
        guard !configuration.forgetClients else { return nil }
        return ClientOrigin.text(
            host: exchange.peerHost,
            sessions: sessions,
            agent: exchange.header("user-agent")
        )
    }
}
