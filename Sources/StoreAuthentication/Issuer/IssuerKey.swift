import StoreDigest

/// A key by which an issuer's tokens are checked, and its one algorithm.
struct IssuerKey: Sendable {
    private enum Material: Sendable {
        case publicKey(PublicKey)
        /// A secret that issuer and server share.
        case secret([UInt8])
    }

    /// The shortest secret (RFC 7518 §3.2).
    static let secretBytesMin = 32

    /// The name that a token's header has for it; `nil` for a key from a PEM file.
    let id: String?
    private let material: Material
    /// The digest of the key, with which keys are compared.
    let fingerprint: [UInt8]

    init(_ key: PublicKey, id: String?) {
        self.id = id
        material = .publicKey(key)
        fingerprint = key.fingerprint
    }

    /// - Throws: where the secret is too short.
    init(secret: [UInt8], id: String?) throws(GnuTLSFailure) {
        guard secret.count >= Self.secretBytesMin else {
            throw GnuTLSFailure(
                "a secret of \(secret.count) bytes; allowed are \(Self.secretBytesMin) or more"
            )
        }
        self.id = id
        material = .secret(secret)
        fingerprint = (Array("HS256 ".utf8) + secret).withUnsafeBytes { SHA256.digest($0) }
    }

    var algorithm: SigningAlgorithm {
        switch material {
        case .publicKey(let key): key.algorithm
        case .secret: .hs256
        }
    }

    /// Whether this key has signed the token, by its own algorithm.
    func hasSigned(_ token: JWT) -> Bool {
        guard token.algorithm == algorithm.rawValue else { return false }
        switch material {
        case .publicKey(let key):
            return key.isSignature(token.signature, of: token.signedText)
        case .secret(let secret):
            guard let mac = try? Secrets.mac(of: token.signedText, by: secret) else { return false }
            return Secrets.isSame(mac, token.signature)
        }
    }
}
