import Testing

@testable import StoreAuthentication

/// Good tokens, and the claims that they must have.
@Suite struct JWTTests {
    @Test(arguments: [TestKey.rsa, .ec, .ed25519])
    func `a token of each kind is good, by PEM and by JWK`(_ key: TestKey) throws {
        for issuer in [try TestIssuer(key), try TestIssuer(jwks: key.jwk())] {
            let principal = try issuer.check(token(key)).get()
            #expect(principal.name == "ada")
            #expect(principal.role == "author")
            #expect(principal.expiresAt == now + 600 + 30)
            #expect(issuer.authenticator.hasValidCredential(principal, at: now))
        }
    }

    @Test func `a shared secret signs tokens, too`() throws {
        let secret = [UInt8](0..<32)
        let issuer = try TestIssuer(jwks: "{\"kty\":\"oct\",\"k\":\"\(text(secret))\"}")
        #expect(try issuer.check(token(secret: secret)).get().name == "ada")
        #expect(issuer.refusal(try token(secret: secret.reversed())) == .wrongSignature)
    }

    @Test func `signatures with numbers that begin with zeros are good`() throws {
        let issuer = try TestIssuer(TestKey.ec)
        // Of 600 pairs of numbers, about five begin with a zero byte.
        for count in 0..<600 {
            #expect(issuer.refusal(token(TestKey.ec, claims(["jti": "\(count)"]))) == nil)
        }
    }

    @Test(arguments: [
        ("iss", nil, AuthenticationError.missing(claim: "iss")),
        ("iss", #""https://issuer.example/""#, .wrongIssuer),
        ("iss", #"["https://issuer.example"]"#, .invalid(claim: "iss")),
        ("aud", nil, .missing(claim: "aud")),
        ("aud", #""other""#, .wrongAudience),
        ("aud", #"[]"#, .wrongAudience),
        ("aud", #"["other","Store"]"#, .wrongAudience),
        ("aud", #"["store",1]"#, .invalid(claim: "aud")),
        ("aud", #"{"store":1}"#, .invalid(claim: "aud")),
        ("exp", nil, .missing(claim: "exp")),
        ("exp", #""1800000600""#, .invalid(claim: "exp")),
        ("exp", "null", .invalid(claim: "exp")),
        ("exp", "1e400", .invalid(claim: "exp")),
        ("exp", "-1", .invalid(claim: "exp")),
        ("exp", "253402300800", .invalid(claim: "exp")),
        ("exp", "99999999999999999999999999", .invalid(claim: "exp")),
        ("exp", "1799999970", .expired),
        ("exp", "1799999970.9", .expired),
        ("nbf", "1800000031", .notYetValid),
        ("nbf", "1800000030.1", .notYetValid),
        ("nbf", "true", .invalid(claim: "nbf")),
        ("nbf", "1e999", .invalid(claim: "nbf")),
        ("sub", nil, .missing(claim: "sub")),
        ("sub", "1", .invalid(claim: "sub")),
        ("sub", #""""#, .invalid(claim: "sub")),
        ("sub", #""anonymous""#, .invalid(claim: "sub")),
        ("sub", #""ada\u0000""#, .invalid(claim: "sub")),
        ("sub", #""ada\nrole: admin""#, .invalid(claim: "sub")),
        ("sub", #""ada\u202enimda""#, .invalid(claim: "sub")),
        ("sub", #""ada\u2028""#, .invalid(claim: "sub")),
        ("role", nil, .missing(claim: "role")),
        ("role", #"["author"]"#, .invalid(claim: "role")),
        ("role", #""""#, .invalid(claim: "role")),
    ])
    func `a missing or wrong claim is refused`(
        _ name: String,
        _ value: String?,
        _ error: AuthenticationError
    ) throws {
        let issuer = try TestIssuer(TestKey.ed25519)
        #expect(issuer.refusal(token(.ed25519, claims([name: value]))) == error)
    }

    @Test(arguments: [
        ("aud", #"["other","store"]"#), ("exp", "1.800000600e9"), ("exp", "253402300799"),
        ("exp", "1799999971"), ("nbf", "1800000030"), ("nbf", "0"), ("sub", #""ad\u0061""#),
        ("groups", #"{"a":[[[]]]}"#),
    ])
    func `a good claim in another form is accepted`(_ name: String, _ value: String) throws {
        let issuer = try TestIssuer(TestKey.ed25519)
        #expect(try issuer.check(token(.ed25519, claims([name: value]))).get().name == "ada")
    }

    @Test func `a name has at most 255 bytes`() throws {
        let issuer = try TestIssuer(TestKey.ed25519)
        let longest = String(repeating: "é", count: 127) + "a"
        #expect(issuer.refusal(token(.ed25519, claims(["sub": "\"\(longest)\""]))) == nil)
        let longer = token(.ed25519, claims(["sub": "\"\(longest)b\""]))
        #expect(issuer.refusal(longer) == .invalid(claim: "sub"))
    }

    @Test func `names that look alike stay apart`() throws {
        let issuer = try TestIssuer(TestKey.ed25519)
        // A Cyrillic a, and the two spellings of é.
        let names = ["ada", "\u{430}da", "\u{E9}", "e\u{301}"]
        let found = try names.map {
            Array(try issuer.check(token(.ed25519, claims(["sub": "\"\($0)\""]))).get().name.utf8)
        }
        #expect(found == names.map { Array($0.utf8) })
    }

    @Test func `leeway is counted on both sides, and may be none`() throws {
        let exact = try TestIssuer(jwks: TestKey.ed25519.jwk(), leewaySeconds: 0)
        #expect(exact.refusal(token(.ed25519, claims(["exp": "\(now)"]))) == .expired)
        #expect(exact.refusal(token(.ed25519, claims(["exp": "\(now + 1)"]))) == nil)
        #expect(exact.refusal(token(.ed25519, claims(["nbf": "\(now + 1)"]))) == .notYetValid)
        #expect(exact.refusal(token(.ed25519, claims(["nbf": "\(now)"]))) == nil)
    }

    @Test func `an issuer may have several audiences and another claim for the role`() throws {
        let issuer = try TestIssuer(
            [("key.pem", TestKey.ec.pem)],
            audiences: ["a", "b"],
            roleClaim: "https://example.com/role"
        )
        let good = claims(["aud": #"["b"]"#, "https://example.com/role": #""admin""#])
        #expect(try issuer.check(token(.ec, good)).get().role == "admin")
        let other = claims(["aud": #""b""#])
        #expect(
            issuer.refusal(token(.ec, other)) == .missing(claim: "https://example.com/role")
        )
    }

    @Test func `a remembered token ends at its time`() throws {
        let issuer = try TestIssuer(TestKey.ec)
        let token = token(.ec)
        let principal = try issuer.check(token).get()
        #expect(try issuer.check(token, at: now + 629).get() === principal)
        #expect(issuer.refusal(token, at: now + 630) == .expired)
        #expect(issuer.authenticator.hasValidCredential(principal, at: now + 629))
        #expect(!issuer.authenticator.hasValidCredential(principal, at: now + 630))
    }
}
