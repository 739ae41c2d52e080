import StoreDigest

/// A key that checks an issuer's tokens, by one algorithm.
struct IssuerKey: Sendable {
    private enum Material: Sendable {
        case publicKey(PublicKey)
        /// A secret that issuer and server share.
        case secret([UInt8])
    }

    /// The shortest secret (RFC 7518 §3.2).
    static let secretBytesMin = 32

    /// The name of the key in a token's header; `nil` for a key from a PEM file, or without a
    /// `kid`.
    let id: String?
    private let material: Material
    /// The digest of the key, for comparing keys.
    let fingerprint: [UInt8]

    init(_ key: PublicKey, id: String?) {
        self.id = id
        material = .publicKey(key)
        fingerprint = key.fingerprint
    }

    /// - Throws: ``GnuTLSFailure`` if the secret is too short.
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

    /// Returns true if this key has signed the token, by its own algorithm.
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
