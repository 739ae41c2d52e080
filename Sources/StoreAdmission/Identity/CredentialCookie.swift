package import StoreHTTPTransport

/// The cookie with a browser's credential, for `EventSource`, which can't send header fields.
///
/// Each store of a process has its own name for this cookie, and for the cookie of sessions.
package struct CredentialCookie: Sendable {
    package let name: String
    private let path: String
    private let namePrefix: [UInt8]
    /// True if browsers send the cookie only over TLS. With `nil`, browsers also send the cookie
    /// without TLS to a loopback host.
    private let isSecure: Bool?

    /// Makes the cookie of the store at `path`. `store` is the store's name, if it has one.
    package init(at path: String, ofStore store: String?, isSecure: Bool?) {
        name = "store-auth" + (store.map { "-" + $0 } ?? "")
        self.path = path
        namePrefix = Array("\(name)=".utf8)
        self.isSecure = isSecure
    }

    /// Returns the header field that sets the cookie. The scripts of a page can't read the cookie
    /// (`HttpOnly`).
    package func settingField(_ value: String, seconds: Int64, for request: HTTPExchange) -> (
        String, String
    ) {
        let isSecure = isSecure ?? !HostRule.isLoopback(request)
        return (
            "Set-Cookie",
            "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
                + (isSecure ? "; Secure" : "")
        )
    }

    /// Returns the header field that deletes the cookie.
    package func deletingField(for request: HTTPExchange) -> (String, String) {
        settingField("", seconds: 0, for: request)
    }

    /// Returns the value of the cookie; `nil` if the request does not have the cookie.
    package func value(of request: HTTPExchange) -> Substring? {
        request.cookieValue(afterPrefix: namePrefix)
    }
}

extension HTTPExchange {
    /// Returns the value of the cookie that begins with these bytes: its name and the equals sign.
    /// Returns `nil` if the request does not have the cookie.
    package func cookieValue(afterPrefix prefix: [UInt8]) -> Substring? {
        guard let header = header("cookie") else { return nil }
        // Compare bytes, not characters. To `Character`, U+037E is a semicolon, and an equals sign
        // with a combining mark behind it is another character.
        for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = pair.drop { $0 == UInt8(ascii: " ") }
            guard pair.starts(with: prefix) else { continue }
            return Substring(pair.dropFirst(prefix.count))
        }
        return nil
    }
}
