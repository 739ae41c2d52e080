import Testing

@testable import StoreAuthentication

/// The files with an issuer's keys, and the refusals of wrong files.
@Suite struct IssuerKeyTests {
    private func refusal(_ content: String, mode: UInt32 = 0o600) throws -> String? {
        let folder = try TestFolder()
        try folder.write(content, to: "keys.json", mode: mode)
        do {
            _ = try IssuerKeyFile.readKeys(at: folder.path + "/keys.json")
            return nil
        } catch {
            return error.description.replacing(folder.path + "/", with: "")
        }
    }

    private func set(_ keys: String...) -> String { "{\"keys\":[\(keys.joined(separator: ","))]}" }

    @Test func `a file without a public key is refused with the reason`() throws {
        #expect(
            try refusal("")
                == "keys.json: expected a JWK Set, or a public key or a certificate in PEM"
        )
        #expect(
            try refusal(TestKey.ec.pem + TestKey.rsa.pem)
                == "keys.json: it has 2 parts in PEM; put each public key or certificate "
                + "into a file of its own, and give --jwt-keys once for each file"
        )
        #expect(
            try refusal(TestKey.ec.privatePEM)
                == "keys.json: it is a private key, which only the issuer may have; give the public "
                + "key (openssl pkey -pubout)"
        )
        #expect(
            try refusal(TestKey.weakRSA.pem)
                == "keys.json: an RSA key of 1024 bits; allowed are 2048 to 8192"
        )
        #expect(try refusal("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n") != nil)
        #expect(
            try refusal("{\"kty\":\"RSA\"}")
                == "keys.json: expected a JWK Set: an object with an array 'keys'"
        )
        #expect(try refusal("{\"keys\":[")?.hasPrefix("keys.json: byte 9: ") == true)
    }

    @Test func `a wrong key of a set is refused at its place`() throws {
        let ec = TestKey.ec.jwk()
        #expect(
            try refusal(set(ec, TestKey.weakRSA.jwk()))
                == "keys.json: /keys/1: an RSA key of 1024 bits; allowed are 2048 to 8192"
        )
        #expect(
            try refusal(set(TestKey.ec.jwk(#","d":"AAAA""#)))
                == "keys.json: /keys/0: 'd' is the private part, which only the issuer may have; "
                + "give the public key"
        )
        let point = text([UInt8](repeating: 1, count: 32))
        #expect(
            try refusal(set(#"{"kty":"EC","crv":"P-256","x":"\#(point)","y":"\#(point)"}"#))
                == "keys.json: /keys/0: the key's numbers do not form a key for ES256"
        )
        #expect(
            try refusal(set(#"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#))
                == "keys.json: /keys/0: x and y must have 32 bytes each on P-256"
        )
        #expect(
            try refusal(set(#"{"kty":"oct","k":"AAAA"}"#))
                == "keys.json: /keys/0: a secret of 3 bytes; at least 32 are needed"
        )
        #expect(
            try refusal(set(#"{"kty":"oct","k":"AAAA="}"#))
                == "keys.json: /keys/0: k: expected base64url without padding"
        )
        let modulus = text([0x80] + [UInt8](repeating: 1, count: 255))
        for exponent in ["AQ", "Ag"] {
            #expect(
                try refusal(set(#"{"kty":"RSA","n":"\#(modulus)","e":"\#(exponent)"}"#)) != nil
            )
        }
    }

    @Test func `weak keys of a set are refused by their kid`() throws {
        func ed25519(_ y: [UInt8]) throws -> String? {
            let x = text(y + [UInt8](repeating: 0, count: 32 - y.count))
            let weak = #"{"kty":"OKP","crv":"Ed25519","kid":"2026-weak","x":"\#(x)"}"#
            return try refusal(set(TestKey.ed25519.jwk(#","kid":"good""#), weak))
        }
        let prefix = #"keys.json: /keys/1 (kid "2026-weak"): an Ed25519 key "#
        let eight: [UInt8] = [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef,
            0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88,
            0x6d, 0x53, 0xfc, 0x05,
        ]
        let prime = [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
        let minusOne = [0xec] + prime.dropFirst()
        let ofSmallOrder = [[0], [1], eight, minusOne]
        for point in ofSmallOrder + ofSmallOrder.map({ negated($0) }) {
            let said = prefix + "of small order, for which signatures can be made without a secret"
            #expect(try ed25519(point) == said)
        }
        for point in [[2], [7], [8], negated([2])] as [[UInt8]] {
            #expect(try ed25519(point) == prefix + "that is no point of the curve")
        }
        for point in [prime, [0xee] + prime.dropFirst(), [UInt8](repeating: 0xff, count: 32)] {
            #expect(try ed25519(point) == prefix + "whose y is not below 2^255 - 19")
        }
        // y = 3 is a point of large order.
        #expect(try ed25519([3]) == nil)

        for (last, factor) in [(0, 2), (1, 5)] as [(UInt8, Int)] {
            let modulus = text([0x81] + [UInt8](repeating: 0, count: 254) + [last])
            let weak = #"{"kty":"RSA","kid":"r","n":"\#(modulus)","e":"AQAB"}"#
            #expect(
                try refusal(set(weak))
                    == #"keys.json: /keys/0 (kid "r"): an RSA key whose modulus is divisible by "#
                    + "\(factor)"
            )
        }
        #expect(
            try refusal(set(TestKey.weakRSA.jwk(#","kid":"short""#)))
                == #"keys.json: /keys/0 (kid "short"): an RSA key of 1024 bits; allowed are 2048 "#
                + "to 8192"
        )
    }

    /// Returns the point with the same y and the other x.
    private func negated(_ y: [UInt8]) -> [UInt8] {
        var bytes = y + [UInt8](repeating: 0, count: 32 - y.count)
        bytes[31] |= 0x80
        return bytes
    }

    @Test func `keys for other uses are skipped, and at least one key must remain`() throws {
        let skipped = [
            TestKey.rsa.jwk(#","use":"enc""#), TestKey.rsa.jwk(#","alg":"PS256""#),
            TestKey.rsa.jwk(#","alg":"RSA-OAEP","use":"enc""#), #"{"kty":"AKP","pub":"AA"}"#,
            #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, TestKey.ec.jwk(#","key_ops":["sign"]"#),
        ]
        let set = "{\"keys\":[\(skipped.joined(separator: ","))]}"
        #expect(
            try refusal(set)
                == "keys.json: it has no key for signatures by RS256, ES256, EdDSA (Ed25519) or "
                + "HS256"
        )
        let issuer = try TestIssuer([
            (
                "keys.json",
                set.replacing("{\"keys\":[", with: "{\"keys\":[\(TestKey.ed25519.jwk()),")
            )
        ])
        #expect(issuer.authenticator.keyCounts.issuerKeys == 1)
        #expect(issuer.refusal(token(.ed25519)) == nil)
        #expect(issuer.refusal(token(.rsa)) == .wrongAlgorithm)
    }

    @Test func `a secret may not be readable by everyone, nor a file writable by others`() throws {
        let secret = set("{\"kty\":\"oct\",\"k\":\"\(text([UInt8](0..<32)))\"}")
        #expect(try refusal(secret, mode: 0o640) == nil)
        #expect(
            try refusal(secret, mode: 0o644)
                == "keys.json: /keys/0: keys.json: it has a secret, and everyone may read it; run "
                + "chmod o-rwx"
        )
        #expect(try refusal(TestKey.ec.pem, mode: 0o644) == nil)
        for mode in [0o620, 0o602] as [UInt32] {
            #expect(
                try refusal(TestKey.ec.pem, mode: mode)
                    == "keys.json: users other than its owner may write it, and so could add credentials"
                    + "; run chmod go-w"
            )
        }
    }

    @Test func `files are added up, and a key in two files is a single key`() throws {
        let one = set(TestKey.rsa.jwk(#","kid":"1""#))
        let two = set(TestKey.rsa.jwk(#","kid":"1""#), TestKey.ec.jwk(#","kid":"1""#))
        let issuer = try TestIssuer([
            ("keys.json", one), ("more.json", two), ("key.pem", TestKey.ed25519.pem),
        ])
        #expect(issuer.authenticator.keyCounts.issuerKeys == 3)
        #expect(issuer.refusal(token(.ec, header: #"{"alg":"ES256","kid":"1"}"#)) == nil)
        // A key from a PEM file has no kid, so any kid will do.
        #expect(issuer.refusal(token(.ed25519, header: #"{"alg":"EdDSA","kid":"9"}"#)) == nil)
        let other = set(TestKey.otherRSA.jwk(#","kid":"1""#))
        #expect(throws: CredentialFileError.self) {
            try TestIssuer([("keys.json", one), ("more.json", other)])
        }
    }

    @Test func `without a kid the keys of the algorithm are tried`() throws {
        let issuer = try TestIssuer(
            jwks: TestKey.rsa.jwk(#","kid":"a""#),
            TestKey.otherRSA.jwk(#","kid":"b""#)
        )
        for key in [TestKey.rsa, .otherRSA] { #expect(issuer.refusal(token(key)) == nil) }
        // With a kid, the other key is not tried.
        let named = token(.rsa, header: #"{"alg":"RS256","kid":"b"}"#)
        #expect(issuer.refusal(named) == .wrongSignature)
    }

    @Test func `a token is tried with at most eight keys`() throws {
        let keys = (0..<9).map { _ in TestKey(.edDSA) }
        let jwks = keys.enumerated().map { $1.jwk(",\"kid\":\"\($0)\"") }
        let issuer = try TestIssuer([("keys.json", "{\"keys\":[\(jwks.joined(separator: ","))]}")])
        #expect(issuer.refusal(token(keys[7])) == nil)
        #expect(issuer.refusal(token(keys[8])) == .wrongSignature)
        #expect(issuer.refusal(token(keys[8], header: #"{"alg":"EdDSA","kid":"8"}"#)) == nil)
    }
}
