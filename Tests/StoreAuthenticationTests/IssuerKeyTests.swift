import Testing

@testable import StoreAuthentication

/// Which files with an issuer's keys are taken.
@Suite struct IssuerKeyTests {
    private func refusal(_ content: String, mode: UInt32 = 0o600) throws -> String? {
        let folder = try TestFolder()
        try folder.write(content, to: "keys.json", mode: mode)
        do {
            _ = try IssuerKeyFile.keys(folder.path + "/keys.json")
            return nil
        } catch {
            return error.description.replacing(folder.path + "/", with: "")
        }
    }

    private func set(_ keys: String...) -> String { "{\"keys\":[\(keys.joined(separator: ","))]}" }

    @Test func `what is no public key is refused in words`() throws {
        #expect(
            try refusal("")
                == "keys.json: allowed is a JWK Set, or a public key or a certificate in PEM"
        )
        #expect(
            try refusal(TestKey.ec.pem + TestKey.rsa.pem)
                == "keys.json: it has 2 parts in PEM; allowed is one public key or one certificate, "
                + "and --jwt-keys once for each file"
        )
        #expect(
            try refusal(TestKey.ec.privatePEM)
                == "keys.json: it is a private key, which only the issuer may have; give the public "
                + "one (openssl pkey -pubout)"
        )
        #expect(
            try refusal(TestKey.weakRSA.pem)
                == "keys.json: an RSA key of 1024 bits; allowed are 2048 to 8192"
        )
        #expect(try refusal("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n") != nil)
        #expect(
            try refusal("{\"kty\":\"RSA\"}")
                == "keys.json: allowed is a JWK Set: an object with 'keys'"
        )
        #expect(try refusal("{\"keys\":[")?.hasPrefix("keys.json: byte 9: ") == true)
    }

    @Test func `keys of a set are refused where they are wrong`() throws {
        let ec = TestKey.ec.jwk()
        #expect(
            try refusal(set(ec, TestKey.weakRSA.jwk()))
                == "keys.json: /keys/1: an RSA key of 1024 bits; allowed are 2048 to 8192"
        )
        #expect(
            try refusal(set(TestKey.ec.jwk(#","d":"AAAA""#)))
                == "keys.json: /keys/0: 'd' is the private part, which only the issuer may have"
        )
        let point = text([UInt8](repeating: 1, count: 32))
        #expect(
            try refusal(set(#"{"kty":"EC","crv":"P-256","x":"\#(point)","y":"\#(point)"}"#))
                == "keys.json: /keys/0: the key's numbers are no ES256 key"
        )
        #expect(
            try refusal(set(#"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#))
                == "keys.json: /keys/0: x and y have 32 bytes each on P-256"
        )
        #expect(
            try refusal(set(#"{"kty":"oct","k":"AAAA"}"#))
                == "keys.json: /keys/0: a secret of 3 bytes; allowed are 32 or more"
        )
        #expect(
            try refusal(set(#"{"kty":"oct","k":"AAAA="}"#))
                == "keys.json: /keys/0: k: allowed is base64url without padding"
        )
        let modulus = text([0x80] + [UInt8](repeating: 1, count: 255))
        for exponent in ["AQ", "Ag"] {
            #expect(
                try refusal(set(#"{"kty":"RSA","n":"\#(modulus)","e":"\#(exponent)"}"#)) != nil
            )
        }
    }

    @Test func `keys for something else are skipped, and one has to be left`() throws {
        let skipped = [
            TestKey.rsa.jwk(#","use":"enc""#), TestKey.rsa.jwk(#","alg":"PS256""#),
            TestKey.rsa.jwk(#","alg":"RSA-OAEP","use":"enc""#), #"{"kty":"AKP","pub":"AA"}"#,
            #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, TestKey.ec.jwk(#","key_ops":["sign"]"#),
        ]
        let set = "{\"keys\":[\(skipped.joined(separator: ","))]}"
        #expect(
            try refusal(set)
                == "keys.json: it has no key that signs by RS256, ES256, EdDSA (Ed25519) or HS256"
        )
        let issuer = try TestIssuer([
            (
                "keys.json",
                set.replacing("{\"keys\":[", with: "{\"keys\":[\(TestKey.ed25519.jwk()),")
            )
        ])
        #expect(issuer.authenticator.counts.issuerKeys == 1)
        #expect(issuer.refusal(token(.ed25519)) == nil)
        #expect(issuer.refusal(token(.rsa)) == .algorithm)
    }

    @Test func `a secret may not be read by everyone, and no file be written by others`() throws {
        let secret = set("{\"kty\":\"oct\",\"k\":\"\(text([UInt8](0..<32)))\"}")
        #expect(try refusal(secret, mode: 0o640) == nil)
        #expect(
            try refusal(secret, mode: 0o644)
                == "keys.json: /keys/0: keys.json: it has a secret, and everyone may read it; say "
                + "chmod o-rwx"
        )
        #expect(try refusal(TestKey.ec.pem, mode: 0o644) == nil)
        for mode in [0o620, 0o602] as [UInt32] {
            #expect(
                try refusal(TestKey.ec.pem, mode: mode)
                    == "keys.json: others than its owner may write it, and so let themselves in; "
                    + "say chmod go-w"
            )
        }
    }

    @Test func `files are added up, and a key that is in two of them is one`() throws {
        let one = set(TestKey.rsa.jwk(#","kid":"1""#))
        let two = set(TestKey.rsa.jwk(#","kid":"1""#), TestKey.ec.jwk(#","kid":"1""#))
        let issuer = try TestIssuer([
            ("keys.json", one), ("more.json", two), ("key.pem", TestKey.ed25519.pem),
        ])
        #expect(issuer.authenticator.counts.issuerKeys == 3)
        #expect(issuer.refusal(token(.ec, header: #"{"alg":"ES256","kid":"1"}"#)) == nil)
        // A key from a PEM file has no kid, so any will do.
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
        // With one, the other key is not.
        let named = token(.rsa, header: #"{"alg":"RS256","kid":"b"}"#)
        #expect(issuer.refusal(named) == .signature)
    }

    @Test func `a token is tried with eight keys and no more`() throws {
        let keys = (0..<9).map { _ in TestKey(.edDSA) }
        let jwks = keys.enumerated().map { $1.jwk(",\"kid\":\"\($0)\"") }
        let issuer = try TestIssuer([("keys.json", "{\"keys\":[\(jwks.joined(separator: ","))]}")])
        #expect(issuer.refusal(token(keys[7])) == nil)
        #expect(issuer.refusal(token(keys[8])) == .signature)
        #expect(issuer.refusal(token(keys[8], header: #"{"alg":"EdDSA","kid":"8"}"#)) == nil)
    }
}
