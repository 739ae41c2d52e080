import StorePlatform
import Synchronization

/// The object that finds the principal of a request by the request's credential. Any thread may use
/// the object.
///
/// Times are seconds since 1970.
package final class Authenticator: Sendable {
    /// The longest bearer token, in bytes.
    package static let tokenBytesMax = 8_192

    /// The contents of the files when they were last read. A reload replaces the whole object.
    private final class Credentials: Sendable {
        let keys: APIKeys?
        let issuer: IssuerKeys?
        let verifiedTokens = VerifiedTokenCache()

        init(_ configuration: AuthenticationConfiguration) throws(CredentialFileError) {
            keys = try configuration.keysFile.map { path throws(CredentialFileError) in
                let content = try CredentialFile.read(path, bytesMax: APIKeyDocument.bytesMax)
                return APIKeys(try APIKeyDocument(content).keys)
            }
            issuer = try configuration.issuer.map { issuer throws(CredentialFileError) in
                try IssuerKeys(issuer)
            }
        }

        func isValid(_ principal: Principal, at now: Int64) -> Bool {
            guard !principal.isExpired(at: now) else { return false }
            switch principal.credential {
            case .anonymous: return true
            case .apiKey(let id): return keys?.hasValidKey(principal, id: id, at: now) ?? false
            case .issuer:
                return issuer?.has(principal.credential) == true
                    && !isPrincipalOfAPIKey(principal.name)
            }
        }

        /// Returns true if the name belongs to an API key. A token of the issuer must not name the
        /// same principal, because sessions, idempotency keys and conditions of a policy use the
        /// name alone.
        func isPrincipalOfAPIKey(_ name: String) -> Bool { keys?.has(principal: name) ?? false }
    }

    private let configuration: AuthenticationConfiguration
    private let cookies: CookieSigner
    private let credentials: Locked<Credentials>

    /// Reads the files, and makes the key that signs cookies if the key's file does not exist.
    ///
    /// - Throws: ``CredentialFileError`` with a description for the operator.
    package init(_ configuration: AuthenticationConfiguration) throws(CredentialFileError) {
        self.configuration = configuration
        let read = try Credentials(configuration)
        cookies = try CookieSigner(file: configuration.cookieKeyFile)
        credentials = Locked(read)
    }

    /// Reads the files as ``init(_:)`` does, but writes no file.
    package static func check(
        _ configuration: AuthenticationConfiguration
    ) throws(CredentialFileError) {
        _ = try Credentials(configuration)
    }

    /// Reads the API keys and the issuer's keys again. If a file is invalid, all keys stay as
    /// before.
    package func reload() throws(CredentialFileError) {
        let read = try Credentials(configuration)
        credentials.withLock { $0 = read }
    }

    /// The number of API keys and the number of issuer's keys, for the log.
    package var keyCounts: (keys: Int, issuerKeys: Int) {
        let credentials = currentCredentials
        return (credentials.keys?.count ?? 0, credentials.issuer?.count ?? 0)
    }

    private var currentCredentials: Credentials { credentials.withLock { $0 } }

    /// Returns the principal of a bearer token.
    ///
    /// Cost for an API key, and for a cached JWT: one SHA-256 and a look-up, without an allocation.
    package func principal(
        bearing token: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        guard 1...Self.tokenBytesMax ~= token.count else { throw .wrongLength }
        let credentials = currentCredentials
        if APIKeyToken.hasPrefix(token) {
            guard let keys = credentials.keys else { throw .noKeysFile }
            return try keys.principal(of: token, at: now)
        }
        guard let issuer = credentials.issuer else {
            throw token.count(where: { $0 == UInt8(ascii: ".") }) == 2 ? .noIssuer : .unknownForm
        }
        let key = VerifiedTokenCache.Key(digest: TokenDigest(of: token), isCookie: false)
        if let known = credentials.verifiedTokens.principal(of: key) {
            guard !known.isExpired(at: now) else { throw .expired }
            return known
        }
        let principal = try issuer.principal(of: token, at: now)
        guard !credentials.isPrincipalOfAPIKey(principal.name) else {
            throw .subjectIsAPIKeyPrincipal
        }
        credentials.verifiedTokens.keep(principal, key)
        return principal
    }

    /// Returns the principal in a cookie's value. The principal's credential must still be valid.
    package func principal(
        ofCookie value: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        guard 1...CookieSigner.bytesMax ~= value.count else { throw .malformedCookie }
        let credentials = currentCredentials
        let key = VerifiedTokenCache.Key(digest: TokenDigest(of: value), isCookie: true)
        if let known = credentials.verifiedTokens.principal(of: key) {
            guard !known.isExpired(at: now) else { throw .expiredCookie }
            guard credentials.isValid(known, at: now) else { throw .revoked }
            return known
        }
        let principal = try cookies.principal(of: value, at: now)
        guard credentials.isValid(principal, at: now) else { throw .revoked }
        credentials.verifiedTokens.keep(principal, key)
        return principal
    }

    /// Returns the value of a cookie for a principal, and the cookie's lifetime in seconds; `nil`
    /// if the principal is anonymous or has expired. The cookie ends with the credential, and after
    /// the configured time at the latest.
    package func cookie(
        for principal: Principal,
        at now: Int64
    ) -> (value: String, maxAge: Int64)? {
        guard principal.credential != .anonymous, !principal.isExpired(at: now) else { return nil }
        let longest = now + configuration.cookieLifetimeSecondsMax
        let end = principal.expiresAt.map { min($0, longest) } ?? longest
        return cookies.value(for: principal, until: end).map { ($0, end - now) }
    }

    /// Returns true if the principal's credential has not expired, and no reload has revoked it.
    /// The server calls this function for open streams and waiting requests.
    package func hasValidCredential(_ principal: Principal, at now: Int64) -> Bool {
        currentCredentials.isValid(principal, at: now)
    }
}

/// The configuration of an ``Authenticator``.
package struct AuthenticationConfiguration: Sendable, Equatable {
    /// The file with the digests of API keys; `nil` if the server takes no API keys.
    package var keysFile: String?
    /// The issuer whose JWTs the server takes; `nil` if the server takes no JWTs.
    package var issuer: IssuerConfiguration?
    /// The file with the key that signs cookies. The server makes the file at the start if the file
    /// does not exist. If the path is `nil`, each process makes a key of its own.
    package var cookieKeyFile: String?
    /// The longest lifetime of a cookie, in seconds.
    package var cookieLifetimeSecondsMax: Int64 = 43_200

    package init() {}

    /// True if the server takes API keys or JWTs.
    package var takesCredentials: Bool { keysFile != nil || issuer != nil }
}

/// The issuer whose JWTs the server takes, and the claims that these JWTs must have.
package struct IssuerConfiguration: Sendable, Equatable {
    /// The longest leeway, in seconds.
    package static let leewaySecondsMax = 60
    /// The longest name of an issuer, an audience or a claim, in bytes.
    package static let textBytesMax = 1_024

    /// The required value of `iss`.
    package var name: String
    /// The accepted audiences: `aud` must contain at least one of these texts.
    package var audiences: [String]
    /// PEM or JWK Set files with the issuer's keys.
    package var keyFiles: [String]
    /// The name of the claim that has the role.
    package var roleClaim = "role"
    /// The greatest allowed difference between the clocks of issuer and server.
    package var leewaySeconds = 30

    package init(name: String, audiences: [String], keyFiles: [String]) {
        self.name = name
        self.audiences = audiences
        self.keyFiles = keyFiles
    }
}
