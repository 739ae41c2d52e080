import StoreJSON
import StoreTexts
import StoreWire

/// A JWT in the compact form of a JWS (RFC 7515 §7.1, RFC 7519): parsed, but not verified.
struct JWT {
    /// The deepest nesting of header and claims.
    static let depthMax = 16

    /// The name of the algorithm in the token's header. The name does not choose the algorithm: the
    /// server compares the name with the algorithm of the key.
    let algorithm: String
    let keyID: String?
    /// The signed text: header and claims, byte for byte as the client sent them.
    let signedText: [UInt8]
    let signature: [UInt8]
    private let claimsText: [UInt8]

    /// Parses the header and the signature. The caller parses the claims after the signature is
    /// verified.
    init(_ token: UnsafeRawBufferPointer) throws(AuthenticationError) {
        let parts = token.split(
            separator: UInt8(ascii: "."),
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .unknownForm }
        guard let headerText = Base64URL.decode(parts[0]) else { throw .malformed(.header) }
        guard let claimsText = Base64URL.decode(parts[1]) else { throw .malformed(.claims) }
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed(.signature) }
        self.claimsText = claimsText
        self.signature = signature
        signedText = Array(token[..<parts[1].endIndex])

        let header = try Self.parseObject(headerText, .header)
        guard header.member("crit") == nil else { throw .criticalExtensions }
        guard let algorithm = header.member("alg")?.stringValue else { throw .malformed(.header) }
        self.algorithm = algorithm
        keyID = try header.member("kid").map { node throws(AuthenticationError) in
            guard let text = node.stringValue else { throw .malformed(.header) }
            return text
        }
        if let type = header.member("typ") {
            guard let text = type.stringValue?.lowercasedASCII else { throw .malformed(.header) }
            guard Self.acceptedTypes.contains(text) else { throw .wrongType }
        }
    }

    /// The accepted values of `typ`, in lower case, because the comparison of `typ` ignores case
    /// (RFC 7515 §4.1.9).
    private static let acceptedTypes = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    /// Parses the claims, which have to be an object.
    func parseClaims() throws(AuthenticationError) -> JSONNode {
        try Self.parseObject(claimsText, .claims)
    }

    private static func parseObject(
        _ text: [UInt8],
        _ part: JWTPart
    ) throws(AuthenticationError) -> JSONNode {
        let limits = JSONLimits(bytesMax: Authenticator.tokenBytesMax, depthMax: depthMax)
        guard let root = try? JSONDocument(parsing: text, limits: limits).root,
            root.kind == .object
        else { throw .malformed(part) }
        return root
    }
}

/// The claims of a JWT, checked against the configuration of the issuer.
struct JWTClaims {
    let subject: String
    let role: String
    /// The second at which the token expires: `exp` plus the leeway.
    let expiresAt: Int64

    init(
        _ claims: JSONNode,
        _ issuer: IssuerConfiguration,
        at now: Int64
    ) throws(AuthenticationError) {
        let name = try Self.text("iss", in: claims)
        guard name.isSame(as: issuer.name) else { throw .wrongIssuer }
        try Self.checkAudience(claims, issuer)

        let leeway = Int64(issuer.leewaySeconds)
        guard let expiry = try Self.numericDate("exp", in: claims, .down) else {
            throw .missing(claim: "exp")
        }
        expiresAt = expiry + leeway
        guard now < expiresAt else { throw .expired }
        if let start = try Self.numericDate("nbf", in: claims, .up) {
            guard now >= start - leeway else { throw .notYetValid }
        }

        subject = try Self.text("sub", in: claims)
        guard PrincipalName.isAllowedForPrincipal(subject) else { throw .invalid(claim: "sub") }
        role = try Self.text(issuer.roleClaim, in: claims)
        guard PrincipalName.isAllowed(role) else { throw .invalid(claim: issuer.roleClaim) }
    }

    private static func text(
        _ name: String,
        in claims: JSONNode
    ) throws(AuthenticationError) -> String {
        guard let node = claims.member(named: name) else { throw .missing(claim: name) }
        guard let text = node.stringValue else { throw .invalid(claim: name) }
        return text
    }

    /// Checks `aud`, a text or a list of texts (RFC 7519 §4.1.3). At least one of the texts must be
    /// a configured audience.
    private static func checkAudience(
        _ claims: JSONNode,
        _ issuer: IssuerConfiguration
    ) throws(AuthenticationError) {
        guard let node = claims.member("aud") else { throw .missing(claim: "aud") }
        var audiences: [String] = []
        for element in node.kind == .array ? node.elements : [node] {
            guard let text = element.stringValue else { throw .invalid(claim: "aud") }
            audiences.append(text)
        }
        guard issuer.audiences.contains(where: { audiences.contains(exactly: $0) }) else {
            throw .wrongAudience
        }
    }

    /// Returns a NumericDate (RFC 7519 §2) from 1970 to the year 9999, in whole seconds; `nil` if
    /// the claim does not exist.
    private static func numericDate(
        _ name: String,
        in claims: JSONNode,
        _ rounding: FloatingPointRoundingRule
    ) throws(AuthenticationError) -> Int64? {
        guard let node = claims.member(named: name) else { return nil }
        guard node.kind == .number, let seconds = Double(node.sourceText), seconds.isFinite,
            seconds >= 0, seconds <= Double(CivilTime.secondsMax)
        else { throw .invalid(claim: name) }
        return Int64(seconds.rounded(rounding))
    }
}
