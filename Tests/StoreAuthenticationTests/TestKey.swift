import CStoreGnuTLS

@testable import StoreAuthentication

/// A key of an issuer with its private part, which signs tokens of all kinds.
final class TestKey: @unchecked Sendable {
    // Safety: GnuTLS lets several threads read one object; nothing changes it.
    private let handle: gnutls_privkey_t
    let algorithm: SigningAlgorithm

    static let rsa = TestKey(.rs256)
    static let otherRSA = TestKey(.rs256)
    static let weakRSA = TestKey(.rs256, bits: 1_024)
    static let ec = TestKey(.es256)
    static let ed25519 = TestKey(.edDSA)

    init(_ algorithm: SigningAlgorithm, bits: UInt32 = 2_048) {
        self.algorithm = algorithm
        var made: gnutls_privkey_t?
        gnutls_privkey_init(&made)
        guard let made else { fatalError("GnuTLS has no memory") }
        handle = made
        let code =
            switch algorithm {
            case .rs256, .hs256: gnutls_privkey_generate(handle, GNUTLS_PK_RSA, bits, 0)
            case .es256:
                // GNUTLS_CURVE_TO_BITS, a macro.
                gnutls_privkey_generate(
                    handle,
                    GNUTLS_PK_ECDSA,
                    1 << 31 | GNUTLS_ECC_CURVE_SECP256R1.rawValue,
                    0
                )
            case .edDSA: gnutls_privkey_generate(handle, GNUTLS_PK_EDDSA_ED25519, 0, 0)
            }
        guard code >= 0 else { fatalError("\(CredentialKeyFailure(code))") }
    }

    deinit { gnutls_privkey_deinit(handle) }

    /// Returns a signature in the form of a JWS.
    func sign(_ text: [UInt8]) -> [UInt8] {
        let scheme =
            switch algorithm {
            case .rs256, .hs256: GNUTLS_SIGN_RSA_SHA256
            case .es256: GNUTLS_SIGN_ECDSA_SHA256
            case .edDSA: GNUTLS_SIGN_EDDSA_ED25519
            }
        var signature = gnutls_datum_t()
        let code = withDatum(text) {
            gnutls_privkey_sign_data2(handle, scheme, 0, $0, &signature)
        }
        guard code >= 0 else { fatalError("\(CredentialKeyFailure(code))") }
        defer { cgnutls_free(signature.data) }
        guard algorithm == .es256 else { return Self.bytes(signature) }
        var r = gnutls_datum_t()
        var s = gnutls_datum_t()
        gnutls_decode_rs_value(&signature, &r, &s)
        defer {
            cgnutls_free(r.data)
            cgnutls_free(s.data)
        }
        return Self.fixed(Self.bytes(r)) + Self.fixed(Self.bytes(s))
    }

    /// The public key in PEM.
    var pem: String {
        withPublicKey { key in
            var text = gnutls_datum_t()
            gnutls_pubkey_export2(key, GNUTLS_X509_FMT_PEM, &text)
            defer { cgnutls_free(text.data) }
            return String(decoding: Self.bytes(text), as: UTF8.self)
        }
    }

    /// The private key in PEM.
    var privatePEM: String {
        var made: gnutls_x509_privkey_t?
        gnutls_privkey_export_x509(handle, &made)
        guard let key = made else { fatalError("GnuTLS has no memory") }
        defer { gnutls_x509_privkey_deinit(key) }
        var text = gnutls_datum_t()
        gnutls_x509_privkey_export2_pkcs8(
            key,
            GNUTLS_X509_FMT_PEM,
            nil,
            UInt32(GNUTLS_PKCS_PLAIN.rawValue),
            &text
        )
        defer { cgnutls_free(text.data) }
        return String(decoding: Self.bytes(text), as: UTF8.self)
    }

    /// The public key as a JWK, with further members.
    func jwk(_ further: String = "") -> String {
        let members = withPublicKey { key -> String in
            var first = gnutls_datum_t()
            var second = gnutls_datum_t()
            var curve = GNUTLS_ECC_CURVE_INVALID
            switch algorithm {
            case .rs256, .hs256: gnutls_pubkey_export_rsa_raw2(key, &first, &second, 0)
            case .es256, .edDSA: gnutls_pubkey_export_ecc_raw2(key, &curve, &first, &second, 0)
            }
            defer {
                cgnutls_free(first.data)
                cgnutls_free(second.data)
            }
            let (a, b) = (Self.bytes(first), Self.bytes(second))
            return switch algorithm {
            case .rs256, .hs256: #""kty":"RSA","n":"\#(text(a))","e":"\#(text(b))""#
            case .es256:
                #""kty":"EC","crv":"P-256","x":"\#(text(Self.fixed(a)))","#
                    + #""y":"\#(text(Self.fixed(b)))""#
            case .edDSA: #""kty":"OKP","crv":"Ed25519","x":"\#(text(a))""#
            }
        }
        return "{\(members)\(further)}"
    }

    private func withPublicKey<Result>(_ body: (gnutls_pubkey_t) -> Result) -> Result {
        var made: gnutls_pubkey_t?
        gnutls_pubkey_init(&made)
        guard let key = made else { fatalError("GnuTLS has no memory") }
        defer { gnutls_pubkey_deinit(key) }
        gnutls_pubkey_import_privkey(key, handle, 0, 0)
        return body(key)
    }

    private static func bytes(_ datum: gnutls_datum_t) -> [UInt8] {
        Array(UnsafeBufferPointer(start: datum.data, count: Int(datum.size)))
    }

    /// Returns a number as 32 bytes.
    private static func fixed(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}

/// Returns the base64url of bytes, as text.
func text(_ bytes: [UInt8]) -> String { String(decoding: Base64URL.encode(bytes), as: UTF8.self) }

/// Returns the base64url of a text.
func text(_ plain: String) -> String { text(Array(plain.utf8)) }
