import Testing

@testable import StoreAuthentication

/// Known attacks on other implementations of JWT.
@Suite struct AttackTests {
    private let rsa = TestKey.rsa

    private func header(_ members: String) -> String {
        token(rsa, header: "{\"alg\":\"RS256\"\(members)}")
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE", "", "HS256", "hs256", "rs256", "RS256 "])
    func `no algorithm but the key's own`(_ algorithm: String) throws {
        let issuer = try TestIssuer(rsa)
        let unsigned = text("{\"alg\":\"\(algorithm)\"}") + "." + text(claims()) + "."
        let signed = token(rsa, header: "{\"alg\":\"\(algorithm)\"}")
        for token in [unsigned, signed] { #expect(issuer.refusal(token) == .wrongAlgorithm) }
    }

    @Test func `a public key is no secret`() throws {
        let issuer = try TestIssuer(rsa)
        for secret in [rsa.pem, String(rsa.pem.dropLast()), rsa.jwk()] {
            #expect(issuer.refusal(try token(secret: Array(secret.utf8))) == .wrongAlgorithm)
        }
        // The same attack on an issuer that accepts a secret, too.
        let secret = "{\"kty\":\"oct\",\"k\":\"\(text([UInt8](0..<32)))\"}"
        let both = try TestIssuer(jwks: rsa.jwk(), secret)
        #expect(both.refusal(try token(secret: Array(rsa.pem.utf8))) == .wrongSignature)
    }

    @Test(arguments: ["ES256", "EdDSA", "PS256", "RS384", "RS512", "ES384"])
    func `a token with another algorithm's name is refused`(_ algorithm: String) throws {
        let issuer = try TestIssuer(rsa)
        let named = token(rsa, header: "{\"alg\":\"\(algorithm)\"}")
        #expect(issuer.refusal(named) == .wrongAlgorithm)
        #expect(issuer.refusal(token(.ec)) == .wrongAlgorithm)
        #expect(issuer.refusal(token(.otherRSA)) == .wrongSignature)
    }

    @Test func `a key inside a token is ignored`() throws {
        let issuer = try TestIssuer(rsa)
        let others = [
            ",\"jwk\":\(TestKey.otherRSA.jwk())", ",\"jku\":\"http://127.0.0.1:1/keys\"",
            ",\"x5u\":\"file:///etc/passwd\"", ",\"x5c\":[\"MIIB\"]",
        ]
        for members in others {
            #expect(issuer.refusal(header(members)) == nil)
            let forged = token(.otherRSA, header: "{\"alg\":\"RS256\"\(members)}")
            #expect(issuer.refusal(forged) == .wrongSignature)
        }
    }

    @Test(arguments: [
        "../../dev/null", "' OR '1'='1", "/etc/passwd\\u0000", "", "k\\u0130d", "\\u212Aey", "KEY",
        "key ",
    ])
    func `a kid is a name and nothing else`(_ id: String) throws {
        let issuer = try TestIssuer(jwks: rsa.jwk(#","kid":"key""#))
        #expect(issuer.refusal(header(#","kid":"key""#)) == nil)
        #expect(issuer.refusal(header(",\"kid\":\"\(id)\"")) == .unknownIssuerKey)
        #expect(issuer.refusal(header(#","kid":["key"]"#)) == .malformed(.header))
    }

    @Test func `a kid of two spellings is two kids`() throws {
        let issuer = try TestIssuer(jwks: rsa.jwk(",\"kid\":\"\u{E9}\""))
        #expect(issuer.refusal(header(",\"kid\":\"\u{E9}\"")) == nil)
        #expect(issuer.refusal(header(",\"kid\":\"e\u{301}\"")) == .unknownIssuerKey)
    }

    @Test func `extensions and other kinds of tokens are refused`() throws {
        let issuer = try TestIssuer(rsa)
        #expect(issuer.refusal(header(#","crit":["b64"],"b64":false"#)) == .criticalExtensions)
        #expect(issuer.refusal(header(#","crit":[]"#)) == .criticalExtensions)
        for type in ["at+jwt", "AT+JWT", "JWT", "jwt", "application/at+jwt"] {
            #expect(issuer.refusal(header(",\"typ\":\"\(type)\"")) == nil)
        }
        for type in ["dpop+jwt", "logout+jwt", "JWE", ""] {
            #expect(issuer.refusal(header(",\"typ\":\"\(type)\"")) == .wrongType)
        }
    }

    @Test func `only the compact form with three parts is read`() throws {
        let issuer = try TestIssuer(rsa)
        let good = token(rsa)
        let parts = good.split(separator: ".").map(String.init)
        for text in [
            parts[0], parts[0] + "." + parts[1], good + ".", "." + good, good + "." + parts[2],
            ".." + parts[2], ".", "..", "a", #"{"payload":"\#(parts[1])"}"#,
        ] { #expect(issuer.refusal(text) == .unknownForm, "\(text.prefix(20))") }
        for count in stride(from: 1, to: good.utf8.count, by: 7) {
            #expect(issuer.refusal(String(good.dropLast(count))) != nil)
        }
        #expect(issuer.refusal("") == .wrongLength)
    }

    @Test func `base64url has one form`() throws {
        let issuer = try TestIssuer(.ed25519)
        let good = token(.ed25519)
        let parts = good.split(separator: ".").map(String.init)
        let ends = ["=", "==", "\n", " ", "\0", "é"]
        for end in ends {
            #expect(issuer.refusal(good + end) == .malformed(.signature))
            #expect(issuer.refusal(parts[0] + end + "." + parts[1] + "." + parts[2]) != nil)
        }
        // In the text of 64 bytes, four bits of the last character have no meaning.
        let next: [Character: Character] = ["A": "B", "Q": "R", "g": "h", "w": "x"]
        let other = try #require(good.last.flatMap { next[$0] })
        #expect(issuer.refusal(String(good.dropLast()) + String(other)) == .malformed(.signature))
        let standard = good.replacing("-", with: "+").replacing("_", with: "/")
        #expect(standard == good || issuer.refusal(standard) != nil)
    }

    @Test func `numbers of a signature have their length, and are not zero`() throws {
        let issuer = try TestIssuer(.ec)
        let good = token(.ec)
        let dot = try #require(good.lastIndex(of: "."))
        let signed = String(good[..<dot])
        let signature = try #require(Base64URL.decode(good[good.index(after: dot)...].utf8))
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 255, count: 32)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        for forged in [
            [], zero + zero, r + zero, zero + s, full + full, r + full, [0] + signature,
            signature + [0], Array(signature.dropLast()), s + r, r, [0x30, 0x44] + signature,
        ] { #expect(issuer.refusal(signed + "." + text(forged)) == .wrongSignature) }
        #expect(issuer.refusal(good) == nil)

        let zeros = [UInt8](repeating: 0, count: 64)
        let edDSA = try TestIssuer(.ed25519)
        let other = token(.ed25519)
        let end = try #require(other.lastIndex(of: "."))
        #expect(edDSA.refusal(other[..<end] + "." + text(zeros)) == .wrongSignature)
        let rsaIssuer = try TestIssuer(rsa)
        let third = token(rsa)
        let last = try #require(third.lastIndex(of: "."))
        let long = [0] + (try #require(Base64URL.decode(third[last...].dropFirst().utf8)))
        #expect(rsaIssuer.refusal(third[..<last] + "." + text(long)) == .wrongSignature)
        for count in [0, 1, 255, 256, 257] {
            let forged = text([UInt8](repeating: 0, count: count))
            #expect(rsaIssuer.refusal(third[..<last] + "." + forged) == .wrongSignature)
        }
    }

    @Test func `documents are read strictly`() throws {
        let issuer = try TestIssuer(.ed25519)
        let twice = String(claims().dropLast()) + #","sub":"eve"}"#
        #expect(issuer.refusal(token(.ed25519, twice)) == .malformed(.claims))
        let escaped = String(claims().dropLast()) + #","\u0073ub":"eve"}"#
        #expect(issuer.refusal(token(.ed25519, escaped)) == .malformed(.claims))
        let algorithms = #"{"alg":"none","alg":"EdDSA"}"#
        #expect(issuer.refusal(token(.ed25519, header: algorithms)) == .malformed(.header))
        for text in ["[]", "null", "\"a\"", "{", "{}{}", " ", "\u{FEFF}{}", #"{"a":1,}"#] {
            #expect(issuer.refusal(token(.ed25519, text)) == .malformed(.claims))
            #expect(issuer.refusal(token(.ed25519, header: text)) == .malformed(.header))
        }
        for depth in [16, 2_000] {
            let bomb = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let nested = token(.ed25519, claims(["a": bomb]))
            #expect(issuer.refusal(nested) == .malformed(.claims))
        }
    }

    @Test func `a token has at most 8 KiB`() throws {
        let issuer = try TestIssuer(.ed25519)
        func padded(_ count: Int) -> String {
            token(.ed25519, claims(["a": "\"\(String(repeating: "x", count: count))\""]))
        }
        let count = try #require((5_000..<7_000).first { padded($0).utf8.count == 8_192 })
        #expect(issuer.refusal(padded(count)) == nil)
        // A further character in the claims adds one or two characters to the token.
        #expect(issuer.refusal(padded(count + 1)) == .wrongLength)
        #expect(issuer.refusal(padded(count) + "A") == .wrongLength)
    }

    @Test func `a claim is checked only if the signature is good`() throws {
        let issuer = try TestIssuer(rsa)
        #expect(issuer.refusal(token(.otherRSA, claims(["exp": "1"]))) == .wrongSignature)
        #expect(issuer.refusal(token(.otherRSA, "{")) == .wrongSignature)
    }

    @Test func `a reason has no part of the token`() throws {
        let issuer = try TestIssuer(rsa)
        let shown = ["secret-kid", "secret-alg", "secret-sub"]
        for text in [
            header(#","kid":"secret-kid""#), token(rsa, header: #"{"alg":"secret-alg"}"#),
            token(rsa, claims(["sub": "\"secret-sub\\u0000\""])),
        ] {
            guard let error = issuer.refusal(text) else { continue }
            for word in shown {
                #expect(!error.description.contains(word) && !error.challenge.contains(word))
            }
        }
    }
}
