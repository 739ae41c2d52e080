import CStoreGnuTLS

/// The signature algorithms that the server takes (RFC 7518, RFC 8037).
enum SigningAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256, by a secret that issuer and server share.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}

/// A public key and its algorithm, as an object of GnuTLS.
final class PublicKey: @unchecked Sendable {
    // Safety: nothing changes the key after `init`, and GnuTLS lets several threads read one object
    // (its manual, "Thread safety").
    private let handle: gnutls_pubkey_t
    let algorithm: SigningAlgorithm
    /// The number of bytes of a signature in a JWS.
    private let signatureBytesCount: Int
    /// The SHA-256 digest of the key (SubjectPublicKeyInfo).
    let fingerprint: [UInt8]

    static let rsaBits: ClosedRange<UInt32> = 2_048...8_192

    deinit { gnutls_pubkey_deinit(handle) }

    /// Makes a key. `fill` imports the key's data into the object of GnuTLS.
    ///
    /// - Throws: ``CredentialKeyFailure`` if `fill` imports no key, a key of an unknown kind, or a
    ///   weak key.
    private init(_ fill: (gnutls_pubkey_t) -> CInt) throws(CredentialKeyFailure) {
        var made: gnutls_pubkey_t?
        try CredentialKeyFailure.check(gnutls_pubkey_init(&made))
        guard let handle = made else { throw CredentialKeyFailure(GNUTLS_E_MEMORY_ERROR) }
        do throws(CredentialKeyFailure) {
            try CredentialKeyFailure.check(fill(handle))
            (algorithm, signatureBytesCount) = try Self.kind(of: handle)
            // The check fails, for example, if a point is not on the curve.
            guard gnutls_pubkey_verify_params(handle) >= 0 else {
                throw CredentialKeyFailure(
                    "the key's numbers do not form a key for \(algorithm.rawValue)"
                )
            }
            fingerprint = try Self.fingerprint(of: handle)
        } catch {
            gnutls_pubkey_deinit(handle)
            throw error
        }
        self.handle = handle
    }

    private static func kind(
        of handle: gnutls_pubkey_t
    ) throws(CredentialKeyFailure) -> (SigningAlgorithm, signatureBytes: Int) {
        var bits: UInt32 = 0
        switch gnutls_pubkey_get_pk_algorithm(handle, &bits) {
        case CInt(GNUTLS_PK_RSA.rawValue):
            guard rsaBits.contains(bits) else {
                throw CredentialKeyFailure(
                    "an RSA key of \(bits) bits; allowed are \(rsaBits.lowerBound) to "
                        + "\(rsaBits.upperBound)"
                )
            }
            try checkRSANumbers(of: handle)
            return (.rs256, Int(bits + 7) / 8)
        case CInt(GNUTLS_PK_ECDSA.rawValue):
            var curve = GNUTLS_ECC_CURVE_INVALID
            try CredentialKeyFailure.check(
                gnutls_pubkey_export_ecc_raw2(handle, &curve, nil, nil, 0)
            )
            guard curve == GNUTLS_ECC_CURVE_SECP256R1 else { throw unknownKindError }
            return (.es256, 64)
        case CInt(GNUTLS_PK_EDDSA_ED25519.rawValue):
            try checkEd25519Point(of: handle)
            return (.edDSA, 64)
        default:
            throw unknownKindError
        }
    }

    private static let unknownKindError = CredentialKeyFailure(
        "a key of another kind; allowed are RSA, EC on P-256 and Ed25519"
    )

    /// Refuses an RSA key if a signature for the key can be made without a secret. With the
    /// exponent 1, each text is its own signature. A modulus with a small factor is no product of
    /// two secret primes.
    private static func checkRSANumbers(of handle: gnutls_pubkey_t) throws(CredentialKeyFailure) {
        var (modulus, exponent) = (gnutls_datum_t(), gnutls_datum_t())
        try CredentialKeyFailure.check(
            gnutls_pubkey_export_rsa_raw2(handle, &modulus, &exponent, 0)
        )
        defer {
            cgnutls_free(modulus.data)
            cgnutls_free(exponent.data)
        }
        let number = Array(bytes(exponent).drop { $0 == 0 })
        guard let last = number.last, last & 1 == 1, number.count > 1 || last > 1 else {
            throw CredentialKeyFailure("an RSA key with an exponent that is even or 1")
        }
        let digits = bytes(modulus)
        let factor = smallPrimes.first { factor in
            digits.reduce(0) { ($0 << 8 | UInt32($1)) % factor } == 0
        }
        if let factor {
            throw CredentialKeyFailure("an RSA key whose modulus is divisible by \(factor)")
        }
    }

    /// The primes below 1,000, which must not divide a modulus.
    private static let smallPrimes = (2..<1_000 as Range<UInt32>).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }

    private static func checkEd25519Point(of handle: gnutls_pubkey_t) throws(CredentialKeyFailure) {
        var curve = GNUTLS_ECC_CURVE_INVALID
        var point = gnutls_datum_t()
        try CredentialKeyFailure.check(
            gnutls_pubkey_export_ecc_raw2(handle, &curve, &point, nil, 0)
        )
        defer { cgnutls_free(point.data) }
        if let weakness = Edwards25519.weakness(of: bytes(point)) {
            throw CredentialKeyFailure(weakness)
        }
    }

    private static func bytes(_ datum: gnutls_datum_t) -> [UInt8] {
        Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }

    private static func fingerprint(of handle: gnutls_pubkey_t) throws(CredentialKeyFailure)
        -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        let flags = UInt32(GNUTLS_KEYID_USE_SHA256.rawValue)
        try CredentialKeyFailure.check(gnutls_pubkey_get_key_id(handle, flags, &bytes, &count))
        return bytes
    }
}

extension PublicKey {
    /// Reads a public key in PEM (SubjectPublicKeyInfo).
    static func pem(_ block: [UInt8]) throws(CredentialKeyFailure) -> PublicKey {
        try PublicKey { handle in
            withDatum(block) { gnutls_pubkey_import(handle, $0, GNUTLS_X509_FMT_PEM) }
        }
    }

    /// Reads the public key of a certificate in PEM. The certificate's dates and issuer are not
    /// checked.
    static func certificate(pem block: [UInt8]) throws(CredentialKeyFailure) -> PublicKey {
        var made: gnutls_x509_crt_t?
        try CredentialKeyFailure.check(gnutls_x509_crt_init(&made))
        guard let certificate = made else { throw CredentialKeyFailure(GNUTLS_E_MEMORY_ERROR) }
        defer { gnutls_x509_crt_deinit(certificate) }
        try CredentialKeyFailure.check(
            withDatum(block) { gnutls_x509_crt_import(certificate, $0, GNUTLS_X509_FMT_PEM) }
        )
        return try PublicKey { gnutls_pubkey_import_x509($0, certificate, 0) }
    }

    /// Makes an RSA key from its modulus and exponent.
    static func rsa(n: [UInt8], e: [UInt8]) throws(CredentialKeyFailure) -> PublicKey {
        try PublicKey { handle in
            withDatum(n) { n in withDatum(e) { gnutls_pubkey_import_rsa_raw(handle, n, $0) } }
        }
    }

    /// Makes a key on P-256 from its coordinates, 32 bytes each.
    static func p256(x: [UInt8], y: [UInt8]) throws(CredentialKeyFailure) -> PublicKey {
        guard x.count == 32, y.count == 32 else {
            throw CredentialKeyFailure("x and y must have 32 bytes each on P-256")
        }
        return try PublicKey { handle in
            withDatum(x) { x in
                withDatum(y) {
                    gnutls_pubkey_import_ecc_raw(handle, GNUTLS_ECC_CURVE_SECP256R1, x, $0)
                }
            }
        }
    }

    /// Makes an Ed25519 key from 32 bytes.
    static func ed25519(_ x: [UInt8]) throws(CredentialKeyFailure) -> PublicKey {
        guard x.count == 32 else { throw CredentialKeyFailure("x must have 32 bytes on Ed25519") }
        return try PublicKey { handle in
            withDatum(x) { gnutls_pubkey_import_ecc_raw(handle, GNUTLS_ECC_CURVE_ED25519, $0, nil) }
        }
    }
}

extension PublicKey {
    /// Returns true if `signature` is a signature of `text` by this key. The signature has the form
    /// of a JWS.
    func isSignature(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        guard signature.count == signatureBytesCount else { return false }
        switch algorithm {
        case .hs256: return false
        case .rs256: return verify(signature, text, GNUTLS_SIGN_RSA_SHA256)
        case .edDSA: return verify(signature, text, GNUTLS_SIGN_EDDSA_ED25519)
        case .es256:
            guard let encoded = Self.derEncoded(signature) else { return false }
            return verify(encoded, text, GNUTLS_SIGN_ECDSA_SHA256)
        }
    }

    private func verify(
        _ signature: [UInt8],
        _ text: [UInt8],
        _ algorithm: gnutls_sign_algorithm_t
    ) -> Bool {
        withDatum(text) { text in
            withDatum(signature) { gnutls_pubkey_verify_data2(handle, algorithm, 0, text, $0) >= 0 }
        }
    }

    /// Encodes a signature's numbers r and s, 32 bytes each, in the form of X.509. Returns `nil` if
    /// r or s is 0.
    private static func derEncoded(_ signature: [UInt8]) -> [UInt8]? {
        // DER writes no zeros in front of a number.
        let r = Array(signature[..<32].drop { $0 == 0 })
        let s = Array(signature[32...].drop { $0 == 0 })
        guard !r.isEmpty, !s.isEmpty else { return nil }
        var encoded = gnutls_datum_t()
        let code = withDatum(r) { r in withDatum(s) { gnutls_encode_rs_value(&encoded, r, $0) } }
        guard code >= 0 else { return nil }
        defer { cgnutls_free(encoded.data) }
        return Self.bytes(encoded)
    }
}

/// A failure of GnuTLS, or a fault that this target finds itself, with a message.
struct CredentialKeyFailure: Error, CustomStringConvertible {
    let description: String

    init(_ code: CInt) {
        description = gnutls_strerror(code).map { String(cString: $0) } ?? "GnuTLS error \(code)"
    }

    init(_ description: String) { self.description = description }

    /// - Throws: ``CredentialKeyFailure`` if the code is an error.
    static func check(_ code: CInt) throws(CredentialKeyFailure) {
        guard code >= 0 else { throw CredentialKeyFailure(code) }
    }
}

/// Calls `body` with the bytes as a datum of GnuTLS. GnuTLS reads these bytes and does not change
/// them.
func withDatum<Result>(
    _ bytes: [UInt8],
    _ body: (UnsafePointer<gnutls_datum_t>) -> Result
) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
        var datum = gnutls_datum_t(
            data: UnsafeMutablePointer(mutating: buffer.baseAddress),
            size: UInt32(truncatingIfNeeded: buffer.count)
        )
        return body(&datum)
    }
}
