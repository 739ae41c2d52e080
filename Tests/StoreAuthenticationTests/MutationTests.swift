import StoreTestSupport
import Testing

@testable import StoreAuthentication

/// Random changes of good tokens, keys and files: none is accepted, and none ends the process.
@Suite struct MutationTests {
    private static let words = [
        "", ".", "..", "=", "ssk_", "\"", "{", "[", "\\u0000", "null", "1e999", "\0", "\u{FF}", "-",
        "eyJhbGciOiJub25lIn0", "A", "é",
    ]

    private func changed(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < bytes.count:
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where place < bytes.count:
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2:
                bytes.removeSubrange(
                    place..<min(bytes.count, place + Int.random(in: 0..<9, using: &random))
                )
            case 3:
                bytes.insert(
                    contentsOf: (Self.words.randomElement(using: &random) ?? "").utf8,
                    at: place
                )
            default:
                let end = min(bytes.count, place + Int.random(in: 0..<40, using: &random))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            }
        }
        return bytes
    }

    @Test func `a token, a key or a cookie that was changed is not good`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let issuer = try TestIssuer([
            ("key.pem", TestKey.ed25519.pem), ("keys.json", "{\"keys\":[\(TestKey.ec.jwk())]}"),
        ])
        var configuration = AuthenticationConfiguration()
        configuration.keysFile = issuer.folder.path + "/api.json"
        let file = APIKeyFile(issuer.folder.path + "/api.json")
        let key = try file.create(principal: "a", role: "b", expiresAt: nil, at: now).token
        let keys = try Authenticator(configuration)
        let principal = try issuer.check(token(.ec)).get()
        let cookie = try #require(issuer.authenticator.cookie(for: principal, at: now)?.value)
        let tokens = [token(.ec), token(.ed25519), key, cookie].map { Array($0.utf8) }
        for count in 0..<20_000 {
            let good = tokens[count % 4]
            let text = changed(good, &random)
            guard text != good else { continue }
            text.withUnsafeBytes { bytes in
                for authenticator in [issuer.authenticator, keys] {
                    let bearer = Result { () throws(AuthenticationError) in
                        try authenticator.principal(bearing: bytes, at: now)
                    }
                    let shown = Result { () throws(AuthenticationError) in
                        try authenticator.principal(ofCookie: bytes, at: now)
                    }
                    #expect(bearer.failure != nil && shown.failure != nil, "seed \(seed), \(text)")
                }
            }
        }
    }

    @Test func `a file with keys that was changed is read or refused`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(seed: seed)
        let folder = try TestFolder()
        let file = APIKeyFile(folder.path + "/api.json")
        for end in [nil, now + 1] {
            _ = try file.create(principal: "a", role: "b", expiresAt: end, at: now)
        }
        let set = "{\"keys\":[\(TestKey.rsa.jwk()),\(TestKey.ec.jwk(#","kid":"1","use":"sig""#))]}"
        let documents = [
            try CredentialFile.read(file.path).bytes, Array(set.utf8), Array(TestKey.rsa.pem.utf8),
        ]
        for count in 0..<3_000 {
            let text = changed(documents[count % 3], &random)
            let content = CredentialFile.Content(path: "f", bytes: text, mode: 0o600)
            do throws(CredentialFileError) { _ = try APIKeyDocument(content) } catch {
                #expect(error.description.hasPrefix("f: "), "seed \(seed)")
            }
            do throws(CredentialFileError) { _ = try IssuerKeyFile.readKeys(from: content) } catch {
                #expect(error.description.hasPrefix("f: "), "seed \(seed)")
            }
        }
    }
}
