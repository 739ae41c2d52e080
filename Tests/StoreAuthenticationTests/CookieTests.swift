import Glibc
import Testing

@testable import StoreAuthentication

/// The server's own token, which a browser keeps as a cookie.
@Suite struct CookieTests {
    private let folder: TestFolder
    private let file: APIKeyFile

    init() throws {
        folder = try TestFolder()
        file = APIKeyFile(folder.path + "/api.json")
    }

    private func authenticator(seconds: Int64 = 43_200) throws -> Authenticator {
        var configuration = AuthenticationConfiguration()
        configuration.keysFile = file.path
        configuration.cookieKeyFile = folder.path + "/cookie.key"
        configuration.cookieLifetimeSecondsMax = seconds
        return try Authenticator(configuration)
    }

    private func create(expiresAt: Int64? = nil) throws -> (key: APIKey, token: String) {
        try file.create(principal: "ada \"ü\"", role: "author", expiresAt: expiresAt, at: now)
    }

    @Test func `a cookie is its principal's, also after a restart`() throws {
        let token = try create().token
        let first = try authenticator()
        let shown = try first.check(token).get()
        let (value, maxAge) = try #require(first.cookie(for: shown, at: now))
        #expect(maxAge == 43_200)
        for authenticator in [first, try self.authenticator()] {
            let principal = try authenticator.check(cookie: value).get()
            #expect(principal.name == shown.name && principal.role == shown.role)
            #expect(principal.credential == shown.credential)
            #expect(principal.expiresAt == now + 43_200)
            #expect(authenticator.check(cookie: value, at: now + 43_199).failure == nil)
            #expect(
                authenticator.check(cookie: value, at: now + 43_200).failure == .expiredCookie
            )
        }
        var status = stat()
        #expect(stat(folder.path + "/cookie.key", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_size == 32)
    }

    @Test func `a cookie ends with its key, and no cookie makes it last longer`() throws {
        let (key, token) = try create(expiresAt: now + 100)
        let authenticator = try authenticator(seconds: 60)
        let shown = try authenticator.check(token).get()
        let (value, maxAge) = try #require(authenticator.cookie(for: shown, at: now))
        #expect(maxAge == 60)
        let principal = try authenticator.check(cookie: value).get()
        #expect(authenticator.cookie(for: principal, at: now + 50)?.maxAge == 10)
        #expect(authenticator.cookie(for: shown, at: now + 70)?.maxAge == 30)
        #expect(authenticator.cookie(for: shown, at: now + 100) == nil)
        #expect(authenticator.cookie(for: .anonymous, at: now) == nil)

        _ = try file.revoke(key.id)
        try authenticator.reload()
        #expect(authenticator.check(cookie: value).failure == .revoked)
        #expect(!authenticator.hasValidCredential(principal, at: now))
    }

    @Test func `a cookie of an issuer's token ends when the issuer's key goes`() throws {
        let issuer = try TestIssuer([("keys.json", keys(TestKey.ec, TestKey.rsa))])
        let principal = try issuer.check(token(.ec)).get()
        let value = try #require(issuer.authenticator.cookie(for: principal, at: now)?.value)
        #expect(issuer.check(cookie: value).failure == nil)
        try issuer.folder.write(keys(TestKey.rsa), to: "keys.json")
        try issuer.authenticator.reload()
        #expect(issuer.check(cookie: value).failure == .revoked)
        #expect(!issuer.authenticator.hasValidCredential(principal, at: now))
        #expect(issuer.refusal(token(.ec)) == .wrongAlgorithm)
        // Wrong files change nothing.
        try issuer.folder.write("{", to: "keys.json")
        #expect(throws: CredentialFileError.self) { try issuer.authenticator.reload() }
        #expect(issuer.refusal(token(.rsa)) == nil)
    }

    private func keys(_ keys: TestKey...) -> String {
        "{\"keys\":[\(keys.map { $0.jwk() }.joined(separator: ","))]}"
    }

    @Test func `a changed cookie is refused`() throws {
        let token = try create().token
        let authenticator = try authenticator()
        let shown = try authenticator.check(token).get()
        let value = try #require(authenticator.cookie(for: shown, at: now)?.value)
        for place in stride(from: 0, to: value.utf8.count, by: 3) {
            var bytes = Array(value.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "E") : UInt8(ascii: "A")
            let changed = String(decoding: bytes, as: UTF8.self)
            #expect(authenticator.check(cookie: changed).failure == .malformedCookie)
        }
        let parts = value.split(separator: ".").map(String.init)
        for text in ["", ".", parts[0], parts[0] + ".", "." + parts[1], value + ".", value + "="] {
            #expect(authenticator.check(cookie: text).failure == .malformedCookie)
        }
        let long = String(repeating: "A", count: 4_000) + "." + parts[1]
        #expect(authenticator.check(cookie: long).failure == .malformedCookie)
        // Neither text is accepted in the place of the other.
        #expect(authenticator.check(value).failure == .unknownForm)
        #expect(authenticator.check(cookie: token).failure == .malformedCookie)
        #expect(authenticator.check(cookie: value).failure == nil)
        #expect(authenticator.check(value).failure == .unknownForm)
    }

    @Test func `a token is no cookie, and a cookie no token, though they were good once`() throws {
        let issuer = try TestIssuer(.ec)
        let token = token(.ec)
        let principal = try issuer.check(token).get()
        #expect(issuer.check(cookie: token).failure == .malformedCookie)
        let value = try #require(issuer.authenticator.cookie(for: principal, at: now)?.value)
        #expect(issuer.check(cookie: value).failure == nil)
        #expect(issuer.refusal(value) == .unknownForm)
    }

    @Test func `the longest names fit in a cookie`() throws {
        let longest = String(repeating: "\\\"", count: 127)
        let issuer = try TestIssuer(.ec)
        let claims = claims(["sub": "\"\(longest)\"", "role": "\"\(longest)\""])
        let principal = try issuer.check(token(.ec, claims)).get()
        let value = try #require(issuer.authenticator.cookie(for: principal, at: now)?.value)
        #expect(value.utf8.count < CookieSigner.bytesMax)
        #expect(try issuer.check(cookie: value).get().name == principal.name)
    }

    @Test func `a key of cookies that is wrong is refused, and kept`() throws {
        try folder.write("{\"keys\":[]}", to: "api.json")
        try folder.write("short", to: "cookie.key")
        #expect(throws: CredentialFileError.self) { try authenticator() }
        try folder.write(String(repeating: "k", count: 32), to: "cookie.key", mode: 0o640)
        #expect(throws: CredentialFileError.self) { try authenticator() }
        try folder.write(String(repeating: "k", count: 32), to: "cookie.key")
        _ = try authenticator()
    }
}
