/// The reason why a credential is rejected. The ``description`` explains each case.
package enum AuthenticationError: Error, Equatable, Sendable {
    case wrongLength, unknownForm

    // API keys
    case noKeysFile, mistypedKey
    case unknownKey(id: String)
    case wrongSecret(id: String)
    case expiredKey(id: String)

    // JWTs
    case noIssuer, criticalExtensions, wrongType, wrongAlgorithm, unknownIssuerKey, wrongSignature
    case malformed(JWTPart)
    case missing(claim: String)
    case invalid(claim: String)
    case subjectIsAPIKeyPrincipal, wrongIssuer, wrongAudience, notYetValid, expired

    // Cookies
    case malformedCookie, expiredCookie, revoked
}

/// A part of a JWT.
package enum JWTPart: String, Sendable { case header, claims, signature }

extension AuthenticationError: CustomStringConvertible {
    /// The reason of the refusal, as a text for the log. The id of an API key is the only text from
    /// the client in this reason.
    package var description: String {
        switch self {
        case .wrongLength: "it is empty or longer than \(Authenticator.tokenBytesMax) bytes"
        case .unknownForm: "it is neither an API key nor a JWT in compact form"
        case .noKeysFile: "it is an API key, and the server has no keys file (--auth-keys)"
        case .mistypedKey: "it is an API key whose checksum is wrong: it is mistyped, or incomplete"
        case .unknownKey(let id):
            "there is no API key '\(id)': it was revoked, or belongs to another server"
        case .wrongSecret(let id): "the secret of the API key '\(id)' is wrong"
        case .expiredKey(let id): "the API key '\(id)' has expired"
        case .noIssuer: "it is a JWT, and the server has no keys of an issuer (--jwt-keys)"
        case .malformed(let part): "it is a JWT whose \(part) can't be read"
        case .criticalExtensions:
            "it is a JWT with critical extensions, and this server supports none"
        case .wrongType: "the typ of the JWT is not JWT or at+jwt"
        case .wrongAlgorithm: "the alg of the JWT differs from the algorithm of the issuer's key"
        case .unknownIssuerKey: "no key of the issuer has the kid of the JWT"
        case .wrongSignature: "the signature of the JWT is not by a key of the issuer"
        case .missing(let claim): "the JWT lacks the claim \(claim)"
        case .invalid(let claim): "the claim \(claim) of the JWT is not valid"
        case .subjectIsAPIKeyPrincipal: "the sub of the JWT is the principal of an API key"
        case .wrongIssuer: "the iss of the JWT is another issuer"
        case .wrongAudience: "the aud of the JWT does not name this server"
        case .notYetValid: "the nbf of the JWT is in the future"
        case .expired: "the JWT has expired"
        case .malformedCookie: "this server did not make the cookie, or has a new key for cookies"
        case .expiredCookie: "the cookie has expired"
        case .revoked: "the credential behind the cookie was revoked"
        }
    }

    /// The parameters of a `Bearer` challenge (RFC 6750 §3). The challenge has only a general
    /// reason, because clients that guess tokens read the challenge, too.
    package var challenge: String { "error=\"invalid_token\", error_description=\"\(clientText)\"" }

    /// The reason of the refusal, as a text for the client.
    package var clientText: String {
        switch self {
        case .wrongLength, .unknownForm, .malformed, .mistypedKey: "The token is malformed"
        case .expiredKey, .expired, .expiredCookie: "The token has expired"
        case .notYetValid: "The token is not valid yet"
        case .criticalExtensions, .wrongType, .missing, .invalid, .wrongAudience, .wrongIssuer:
            "The token is not made for this server"
        case .noKeysFile, .unknownKey, .wrongSecret, .noIssuer, .wrongAlgorithm, .unknownIssuerKey,
            .wrongSignature, .subjectIsAPIKeyPrincipal, .malformedCookie, .revoked:
            "The token is not valid"
        }
    }
}
