import Glibc
import Testing

@testable import StoreAuthentication

/// The time of all tests.
let now: Int64 = 1_800_000_000

/// An issuer with files in a folder of its own, and the verifier of its tokens.
final class TestIssuer: Sendable {
    static let name = "https://issuer.example"
    static let audience = "store"

    let folder: TestFolder
    let authenticator: Authenticator

    /// Accepts tokens that the keys of these files have signed. The name of a file gives its kind.
    init(
        _ files: [(name: String, content: String)],
        audiences: [String] = [audience],
        leewaySeconds: Int = 30,
        roleClaim: String = "role"
    ) throws {
        folder = try TestFolder()
        for (name, content) in files { try folder.write(content, to: name) }
        var configuration = AuthenticationConfiguration()
        var issuer = IssuerConfiguration(
            name: Self.name,
            audiences: audiences,
            keyFiles: files.map { [folder] in folder.path + "/" + $0.name }
        )
        issuer.leewaySeconds = leewaySeconds
        issuer.roleClaim = roleClaim
        configuration.issuer = issuer
        authenticator = try Authenticator(configuration)
    }

    convenience init(_ key: TestKey) throws {
        try self.init([("key.pem", key.pem)])
    }

    convenience init(jwks: String..., leewaySeconds: Int = 30) throws {
        try self.init(
            [("keys.json", "{\"keys\":[\(jwks.joined(separator: ","))]}")],
            leewaySeconds: leewaySeconds
        )
    }

    /// Returns the principal of a token, or the error.
    func check(_ token: String, at time: Int64 = now) -> Result<Principal, AuthenticationError> {
        Array(token.utf8).withUnsafeBytes { bytes in
            Result { () throws(AuthenticationError) in
                try authenticator.principal(bearing: bytes, at: time)
            }
        }
    }

    /// Returns the reason why a token is refused.
    func refusal(_ token: String, at time: Int64 = now) -> AuthenticationError? {
        if case .failure(let error) = check(token, at: time) { error } else { nil }
    }

    /// Returns the principal of a cookie, or the error.
    func check(
        cookie value: String,
        at time: Int64 = now
    ) -> Result<Principal, AuthenticationError> { authenticator.check(cookie: value, at: time) }
}

extension Authenticator {
    func check(
        cookie value: String,
        at time: Int64 = now
    ) -> Result<Principal, AuthenticationError> {
        Array(value.utf8).withUnsafeBytes { bytes in
            Result { () throws(AuthenticationError) in try principal(ofCookie: bytes, at: time) }
        }
    }

    func check(
        _ token: String,
        at time: Int64 = now
    ) -> Result<Principal, AuthenticationError> {
        Array(token.utf8).withUnsafeBytes { bytes in
            Result { () throws(AuthenticationError) in try principal(bearing: bytes, at: time) }
        }
    }
}

extension Result {
    /// The error, if any.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// A folder that is removed after the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/authentication-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
        for name in ["key.pem", "keys.json", "more.json", "api.json", "cookie.key", "other.pem"] {
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }

    func write(_ content: String, to name: String, mode: mode_t = 0o600) throws {
        let file = "\(path)/\(name)"
        unlink(file)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(content.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        // The mode does not depend on the mask of the process.
        try #require(fchmod(descriptor, mode) == 0)
    }
}

/// Returns good claims, with changes.
func claims(_ changes: [String: String?] = [:]) -> String {
    var members: [String: String] = [
        "iss": "\"\(TestIssuer.name)\"", "aud": "\"\(TestIssuer.audience)\"",
        "exp": "\(now + 600)", "sub": "\"ada\"", "role": "\"author\"",
    ]
    for (name, value) in changes { members[name] = value }
    let texts = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{\(texts.joined(separator: ","))}"
}

/// Returns a token that the key has signed.
func token(
    _ key: TestKey,
    _ claims: String = claims(),
    header: String? = nil
) -> String {
    let header = header ?? "{\"alg\":\"\(key.algorithm.rawValue)\",\"typ\":\"JWT\"}"
    let signed = text(header) + "." + text(claims)
    return signed + "." + text(key.sign(Array(signed.utf8)))
}

/// Returns a token with an HMAC by a secret.
func token(secret: [UInt8], _ claims: String = claims(), header: String? = nil) throws -> String {
    let signed = text(header ?? "{\"alg\":\"HS256\"}") + "." + text(claims)
    return signed + "." + text(try Secrets.mac(of: Array(signed.utf8), by: secret))
}
