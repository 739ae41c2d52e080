/// The sender of a request: the name, the role, the credential, and the end of the credential.
package final class Principal: Sendable {
    /// The name and the role of requests without a credential.
    package static let anonymousName = "anonymous"

    /// The principal of requests without a credential.
    package static let anonymous = Principal(
        name: anonymousName,
        role: anonymousName,
        credential: .anonymous,
        expiresAt: nil
    )

    /// The name: 1 to 255 bytes. Only ``anonymous`` has the name ``anonymousName``.
    package let name: String
    /// The role: 1 to 255 bytes.
    package let role: String
    /// The credential of the request.
    package let credential: CredentialID
    /// The time at which the credential expires, in seconds since 1970; `nil` if the credential has
    /// no end. For a JWT, the time is `exp` plus the leeway.
    package let expiresAt: Int64?

    package init(name: String, role: String, credential: CredentialID, expiresAt: Int64?) {
        self.name = name
        self.role = role
        self.credential = credential
        self.expiresAt = expiresAt
    }

    /// Returns true if the credential has expired.
    package func isExpired(at now: Int64) -> Bool { expiresAt.map { now >= $0 } ?? false }
}

/// The id of a principal's credential. The id may be logged.
package enum CredentialID: Sendable, Hashable {
    /// No credential.
    case anonymous
    /// The API key of this id.
    case apiKey(String)
    /// A token that an issuer's key signed: the fingerprint of issuer and key.
    case issuer(key: String)
}

extension CredentialID: CustomStringConvertible {
    /// The text of the credential in a cookie.
    package var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .apiKey(let id): "key:" + id
        case .issuer(let key): "issuer:" + key
        }
    }

    /// Reads a text that ``description`` returned; returns `nil` for the text of ``anonymous``.
    init?(_ text: String) {
        if text.hasPrefix("key:") {
            self = .apiKey(String(text.dropFirst(4)))
        } else if text.hasPrefix("issuer:") {
            self = .issuer(key: String(text.dropFirst(7)))
        } else {
            return nil
        }
    }
}

/// The rules for the name of a principal and the name of a role.
package enum PrincipalName {
    package static let bytesMax = 255
    package static let allowedDescription =
        "1 to \(bytesMax) bytes of text without control and formatting characters"

    /// Returns true if a text may be a name. Control and formatting characters are refused, because
    /// they change how the text around them is shown.
    package static func isAllowed(_ text: String) -> Bool {
        guard 1...bytesMax ~= text.utf8.count else { return false }
        return text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// Returns true if a text may be the name of a principal with a credential:
    /// ``Principal/anonymousName`` is refused.
    package static func isAllowedForPrincipal(_ text: String) -> Bool {
        isAllowed(text) && text != Principal.anonymousName
    }
}
