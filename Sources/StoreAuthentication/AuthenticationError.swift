/// Why something that was shown is not good.
package enum AuthenticationError: Error, Equatable, Sendable {
    /// It is empty, or longer than any token that is taken.
    case length
    /// It is neither an API key nor a JWT in the compact form.
    case form

    // API keys

    /// There is no keys file.
    case noKeys
    /// Its checksum is wrong: it was typed or cut.
    case mistypedKey
    /// There is no key of this id: it was revoked, or is another server's.
    case unknownKey(id: String)
    /// The id is a key's, and the secret is not.
    case wrongSecret(id: String)
    /// The key has come to its end.
    case expiredKey(id: String)

    // JWTs

    /// No issuer's tokens are taken.
    case noIssuer
    /// It can't be read: which part of it.
    case malformed(JWTPart)
    /// Its header asks for extensions, `crit`.
    case extensions
    /// Its header says that it is something else than an access token.
    case type
    /// Its `alg` is not that of the key.
    case algorithm
    /// Its `kid` is none of the keys'.
    case unknownIssuerKey
    /// No key of the issuer has signed it.
    case signature
    /// A claim that is required is not there.
    case missing(claim: String)
    /// A claim is not what it may be.
    case claim(String)
    /// `sub` is the name of a principal that has an API key.
    case keysPrincipal
    /// `iss` is another issuer.
    case issuer
    /// `aud` names others.
    case audience
    /// `nbf` is in the future.
    case notYet
    /// `exp` is in the past.
    case expired

    // Cookies

    /// It is no cookie that this server has made.
    case cookie
    /// The cookie has come to its end.
    case expiredCookie
    /// The credential behind the cookie is good no more.
    case revoked
}

/// A part of a JWT.
package enum JWTPart: String, Sendable {
    case header, claims, signature
}

extension AuthenticationError: CustomStringConvertible {
    /// The reason for the log: nothing of it was shown by the client but the id of an API key.
    package var logText: String {
        switch self {
        case .length: "it is empty or longer than \(Authenticator.tokenBytesMax) bytes"
        case .form: "it is neither an API key nor a JWT in compact form"
        case .noKeys: "it is an API key, and the server has no keys file"
        case .mistypedKey: "it is an API key whose checksum is wrong: mistyped, or cut"
        case .unknownKey(let id): "there is no API key '\(id)': revoked, or of another server"
        case .wrongSecret(let id): "the secret of the API key '\(id)' is wrong"
        case .expiredKey(let id): "the API key '\(id)' has expired"
        case .noIssuer: "it is a JWT, and the server has no issuer's keys"
        case .malformed(let part): "it is a JWT whose \(part) can't be read"
        case .extensions: "it is a JWT with critical extensions, and there are none that are known"
        case .type: "the typ of the JWT is not JWT or at+jwt"
        case .algorithm: "the alg of the JWT is not that of the issuer's key"
        case .unknownIssuerKey: "the kid of the JWT is not that of a key of the issuer"
        case .signature: "the signature of the JWT is not by a key of the issuer"
        case .missing(let claim): "the JWT lacks the claim \(claim)"
        case .claim(let claim): "the claim \(claim) of the JWT is not what it may be"
        case .keysPrincipal: "the sub of the JWT is the principal of an API key"
        case .issuer: "the iss of the JWT is another issuer"
        case .audience: "the aud of the JWT does not name this server"
        case .notYet: "the nbf of the JWT is in the future"
        case .expired: "the JWT has expired"
        case .cookie: "it is no cookie that this server has made"
        case .expiredCookie: "the cookie has expired"
        case .revoked: "the credential behind the cookie was revoked"
        }
    }

    package var description: String { logText }

    /// The parameters of a `Bearer` challenge (RFC 6750 §3): the reason in general words, because
    /// those who guess read it, too.
    package var challenge: String {
        "error=\"invalid_token\", error_description=\"\(clientText)\""
    }

    /// What the client may read.
    package var clientText: String {
        switch self {
        case .length, .form, .malformed, .mistypedKey: "The token is malformed"
        case .expiredKey, .expired, .expiredCookie: "The token has expired"
        case .notYet: "The token is not valid yet"
        case .extensions, .type, .missing, .claim, .audience, .issuer:
            "The token is not made for this server"
        case .noKeys, .unknownKey, .wrongSecret, .noIssuer, .algorithm, .unknownIssuerKey,
            .signature, .keysPrincipal, .cookie, .revoked:
            "The token is not valid"
        }
    }
}
