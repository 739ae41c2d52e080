/// Who asks: a name, what it may do by its role, and how long the server takes its word for it.
package final class Principal: Sendable {
    /// The name and the role of requests that show nothing.
    package static let anonymousName = "anonymous"

    /// Requests that show nothing.
    package static let anonymous = Principal(
        name: anonymousName,
        role: anonymousName,
        credential: .anonymous,
        expires: nil
    )

    /// The name: 1 to 255 bytes. ``anonymousName`` is that of ``anonymous`` alone.
    package let name: String
    /// The role: 1 to 255 bytes.
    package let role: String
    /// What was shown.
    package let credential: CredentialID
    /// The second since 1970 from which the credential is good no more; `nil` where it has no end.
    /// Of a JWT this is `exp` and the leeway.
    package let expires: Int64?

    package init(name: String, role: String, credential: CredentialID, expires: Int64?) {
        self.name = name
        self.role = role
        self.credential = credential
        self.expires = expires
    }

    /// Whether the credential has come to its end.
    package func isExpired(at now: Int64) -> Bool { expires.map { now >= $0 } ?? false }
}

/// What a principal has shown, by names that may be logged.
package enum CredentialID: Sendable, Hashable {
    /// Nothing.
    case anonymous
    /// The API key of this id.
    case key(String)
    /// A token that an issuer's key signed: the fingerprint of issuer and key.
    case issuer(key: String)
}

extension CredentialID: CustomStringConvertible {
    /// The text that a cookie has.
    package var description: String {
        switch self {
        case .anonymous: "anonymous"
        case .key(let id): "key:" + id
        case .issuer(let key): "issuer:" + key
        }
    }

    /// Reads what ``description`` writes; never anonymous.
    init?(_ text: String) {
        if text.hasPrefix("key:") {
            self = .key(String(text.dropFirst(4)))
        } else if text.hasPrefix("issuer:") {
            self = .issuer(key: String(text.dropFirst(7)))
        } else {
            return nil
        }
    }
}

/// Which texts may be the name of a principal or of a role.
package enum PrincipalName {
    package static let bytesMax = 255
    package static let allowed =
        "1 to \(bytesMax) bytes of text without control and formatting characters"

    /// Whether a text may be a name: what changes how the text around it is shown may not be in it.
    package static func isAllowed(_ text: String) -> Bool {
        guard 1...bytesMax ~= text.utf8.count else { return false }
        return text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    /// The same for principals' names, of which one is taken.
    package static func isAllowedForPrincipal(_ text: String) -> Bool {
        isAllowed(text) && text != Principal.anonymousName
    }
}
