import StoreTexts
import StoreWire

/// A JWT in the compact form of a JWS (RFC 7515 §7.1, RFC 7519): parsed, but not verified.
struct JWT {
    /// The deepest nesting of header and claims.
    static let depthMax = 16

    /// The name of the algorithm, only for a comparison with the algorithm of the key.
    let algorithm: String
    let keyID: String?
    /// The signed text: header and claims as they came.
    let signedText: [UInt8]
    let signature: [UInt8]
    private let claimsText: [UInt8]

    /// Parses header and signature. The claims are parsed after the signature is verified.
    init(_ token: UnsafeRawBufferPointer) throws(AuthenticationError) {
        let parts = token.split(
            separator: UInt8(ascii: "."),
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .form }
        guard let headerText = Base64URL.decode(parts[0]) else { throw .malformed(.header) }
        guard let claimsText = Base64URL.decode(parts[1]) else { throw .malformed(.claims) }
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed(.signature) }
        self.claimsText = claimsText
        self.signature = signature
        signedText = Array(token[..<parts[1].endIndex])

        let header = try Self.object(headerText, .header)
        guard header.member("crit") == nil else { throw .extensions }
        guard let algorithm = header.member("alg")?.stringValue else { throw .malformed(.header) }
        self.algorithm = algorithm
        keyID = try header.member("kid").map { node throws(AuthenticationError) in
            guard let text = node.stringValue else { throw .malformed(.header) }
            return text
        }
        if let type = header.member("typ") {
            guard let text = type.stringValue?.lowercasedASCII else { throw .malformed(.header) }
            guard Self.types.contains(text) else { throw .type }
        }
    }

    /// The accepted media types, in lower case: their comparison ignores case (RFC 7515 §4.1.9).
    private static let types = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    /// Parses the claims, an object.
    func claims() throws(AuthenticationError) -> JSONNode { try Self.object(claimsText, .claims) }

    private static func object(
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
