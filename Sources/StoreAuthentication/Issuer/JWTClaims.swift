import StoreTexts
import StoreWire

/// The claims of a JWT, checked against the configuration of the issuer.
struct JWTClaims {
    let subject: String
    let role: String
    /// The second at which the token expires: `exp` plus the leeway.
    let end: Int64

    init(
        _ claims: JSONNode,
        _ issuer: IssuerConfiguration,
        at now: Int64
    ) throws(AuthenticationError) {
        let name = try Self.text("iss", in: claims)
        guard name.isSame(as: issuer.name) else { throw .issuer }
        try Self.checkAudience(claims, issuer)

        let leeway = Int64(issuer.leewaySeconds)
        guard let expiry = try Self.seconds("exp", in: claims, .down) else {
            throw .missing(claim: "exp")
        }
        end = expiry + leeway
        guard now < end else { throw .expired }
        if let start = try Self.seconds("nbf", in: claims, .up) {
            guard now >= start - leeway else { throw .notYet }
        }

        subject = try Self.text("sub", in: claims)
        guard PrincipalName.isAllowedForPrincipal(subject) else { throw .claim("sub") }
        role = try Self.text(issuer.roleClaim, in: claims)
        guard PrincipalName.isAllowed(role) else { throw .claim(issuer.roleClaim) }
    }

    private static func text(
        _ name: String,
        in claims: JSONNode
    ) throws(AuthenticationError) -> String {
        guard let node = claims.member(named: name) else { throw .missing(claim: name) }
        guard let text = node.stringValue else { throw .claim(name) }
        return text
    }

    /// Checks `aud`, a text or a list of texts (RFC 7519 §4.1.3): it must contain a configured
    /// audience.
    private static func checkAudience(
        _ claims: JSONNode,
        _ issuer: IssuerConfiguration
    ) throws(AuthenticationError) {
        guard let node = claims.member("aud") else { throw .missing(claim: "aud") }
        var audiences: [String] = []
        for element in node.kind == .array ? node.elements : [node] {
            guard let text = element.stringValue else { throw .claim("aud") }
            audiences.append(text)
        }
        guard issuer.audiences.contains(where: { audiences.contains(exactly: $0) }) else {
            throw .audience
        }
    }

    /// Returns a NumericDate (RFC 7519 §2) from 1970 to the year 9999, in whole seconds; `nil` if
    /// the claim does not exist.
    private static func seconds(
        _ name: String,
        in claims: JSONNode,
        _ rounding: FloatingPointRoundingRule
    ) throws(AuthenticationError) -> Int64? {
        guard let node = claims.member(named: name) else { return nil }
        guard node.kind == .number, let seconds = Double(node.sourceText), seconds.isFinite,
            seconds >= 0, seconds <= Double(CivilTime.secondsMax)
        else { throw .claim(name) }
        return Int64(seconds.rounded(rounding))
    }
}
