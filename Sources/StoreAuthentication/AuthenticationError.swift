/// The reason why a credential is rejected.
package enum AuthenticationError: Error, Equatable, Sendable {
    /// The token is empty, or longer than ``Authenticator/tokenBytesMax``.
    case length
    /// The token is neither an API key nor a JWT in the compact form.
    case form

    // API keys

    /// The server has no keys file.
    case noKeys
    /// The checksum of the key is wrong: the key was mistyped or cut.
    case mistypedKey
    /// No key has this id: it was revoked, or belongs to another server.
    case unknownKey(id: String)
    /// The id belongs to a key, but the secret is wrong.
    case wrongSecret(id: String)
    /// The key has expired.
    case expiredKey(id: String)

    // JWTs

    /// The server takes no JWTs.
    case noIssuer
    /// A part of the token cannot be read.
    case malformed(JWTPart)
    /// The header demands extensions, `crit`.
    case extensions
    /// The header's `typ` is not that of an access token.
    case type
    /// The token's `alg` is not the algorithm of the key.
    case algorithm
    /// The token's `kid` is not the id of a key.
    case unknownIssuerKey
    /// No key of the issuer has signed the token.
    case signature
    /// A required claim is missing.
    case missing(claim: String)
    /// The value of a claim is not allowed.
    case claim(String)
    /// The `sub` is the name of a principal that has an API key.
    case keysPrincipal
    /// The `iss` is another issuer.
    case issuer
    /// The `aud` names other audiences.
    case audience
    /// The `nbf` is in the future.
    case notYet
    /// The `exp` is in the past.
    case expired

    // Cookies

    /// The value is no cookie of this server.
    case cookie
    /// The cookie has expired.
    case expiredCookie
    /// The credential behind the cookie is no longer good.
    case revoked
}

/// A part of a JWT.
package enum JWTPart: String, Sendable {
    case header, claims, signature
}

extension AuthenticationError: CustomStringConvertible {
    /// The reason for the log. The only text of the client in it is the id of an API key.
    package var logText: String {
        switch self {
        case .length: "it is empty or longer than \(Authenticator.tokenBytesMax) bytes"
        case .form: "it is neither an API key nor a JWT in compact form"
        case .noKeys: "it is an API key, and the server has no keys file"
        case .mistypedKey: "it is an API key whose checksum is wrong: it is mistyped, or incomplete"
        case .unknownKey(let id): "there is no API key '\(id)': revoked, or of another server"
        case .wrongSecret(let id): "the secret of the API key '\(id)' is wrong"
        case .expiredKey(let id): "the API key '\(id)' has expired"
        case .noIssuer: "it is a JWT, and the server has no issuer's keys"
        case .malformed(let part): "it is a JWT whose \(part) can't be read"
        case .extensions: "it is a JWT with critical extensions, and this server supports none"
        case .type: "the typ of the JWT is not JWT or at+jwt"
        case .algorithm: "the alg of the JWT is not that of the issuer's key"
        case .unknownIssuerKey: "the kid of the JWT is not that of a key of the issuer"
        case .signature: "the signature of the JWT is not by a key of the issuer"
        case .missing(let claim): "the JWT lacks the claim \(claim)"
        case .claim(let claim): "the claim \(claim) of the JWT is not valid"
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

    /// The parameters of a `Bearer` challenge (RFC 6750 §3). The reason is in general words,
    /// because clients that guess tokens read it, too.
    package var challenge: String {
        "error=\"invalid_token\", error_description=\"\(clientText)\""
    }

    /// The reason for the client.
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
