import StorePlatform
import Synchronization

/// Finds out who asks by what a request shows. Any thread may call it.
///
/// Times are seconds since 1970.
package final class Authenticator: Sendable {
    /// The longest bearer token.
    package static let tokenBytesMax = 8_192

    /// What the files said when they were read last: replaced as a whole.
    private final class Credentials: Sendable {
        let keys: APIKeys?
        let issuer: IssuerKeys?
        let good = GoodTokens()

        init(_ configuration: AuthenticationConfiguration) throws(CredentialFileError) {
            keys = try configuration.keysFile.map { path throws(CredentialFileError) in
                let content = try CredentialFile.read(path, bytesMax: APIKeyDocument.bytesMax)
                return APIKeys(try APIKeyDocument(content).keys)
            }
            issuer = try configuration.issuer.map { issuer throws(CredentialFileError) in
                try IssuerKeys(issuer)
            }
        }

        func isGood(_ principal: Principal, at now: Int64) -> Bool {
            guard !principal.isExpired(at: now) else { return false }
            switch principal.credential {
            case .anonymous: return true
            case .key(let id): return keys?.isGood(principal, id: id, at: now) ?? false
            case .issuer:
                return issuer?.has(principal.credential) == true && !isOfKey(principal.name)
            }
        }

        /// Whether the name belongs to an API key. No token of the issuer may have it: sessions,
        /// idempotency keys and conditions of a policy go by the name alone.
        func isOfKey(_ name: String) -> Bool { keys?.has(principal: name) ?? false }
    }

    private let configuration: AuthenticationConfiguration
    private let cookies: CookieSigner
    private let credentials: Locked<Credentials>

    /// Reads the files, and makes the key of cookies where it is not there.
    ///
    /// - Throws: ``CredentialFileError``, whose description is for the operator.
    package init(_ configuration: AuthenticationConfiguration) throws(CredentialFileError) {
        self.configuration = configuration
        let read = try Credentials(configuration)
        cookies = try CookieSigner(file: configuration.cookieKeyFile)
        credentials = Locked(read)
    }

    /// Reads the files as ``init(_:)`` does, and makes nothing.
    package static func check(
        _ configuration: AuthenticationConfiguration
    ) throws(CredentialFileError) {
        _ = try Credentials(configuration)
    }

    /// Reads keys and issuer's keys again. Where one file is wrong, all stays as it was.
    package func reload() throws(CredentialFileError) {
        let read = try Credentials(configuration)
        credentials.withLock { $0 = read }
    }

    /// How many API keys and issuer's keys there are, for the log.
    package var counts: (keys: Int, issuerKeys: Int) {
        let credentials = current
        return (credentials.keys?.count ?? 0, credentials.issuer?.count ?? 0)
    }

    private var current: Credentials { credentials.withLock { $0 } }

    /// The principal of a bearer token.
    ///
    /// Cost for an API key, and for a JWT that came before: one SHA-256, a look-up, no allocation.
    package func principal(
        bearing token: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        guard 1...Self.tokenBytesMax ~= token.count else { throw .length }
        let credentials = current
        if APIKeyToken.isLike(token) {
            guard let keys = credentials.keys else { throw .noKeys }
            return try keys.principal(of: token, at: now)
        }
        guard let issuer = credentials.issuer else {
            throw token.count(where: { $0 == UInt8(ascii: ".") }) == 2 ? .noIssuer : .form
        }
        let key = GoodTokens.Key(digest: TokenDigest(of: token), isCookie: false)
        if let known = credentials.good.principal(of: key) {
            guard !known.isExpired(at: now) else { throw .expired }
            return known
        }
        let principal = try issuer.principal(of: token, at: now)
        guard !credentials.isOfKey(principal.name) else { throw .keysPrincipal }
        credentials.good.keep(principal, key)
        return principal
    }

    /// The principal of the cookie's value, whose credential has to be good still.
    package func principal(
        ofCookie value: UnsafeRawBufferPointer,
        at now: Int64
    ) throws(AuthenticationError) -> Principal {
        guard 1...CookieSigner.bytesMax ~= value.count else { throw .cookie }
        let credentials = current
        let key = GoodTokens.Key(digest: TokenDigest(of: value), isCookie: true)
        if let known = credentials.good.principal(of: key) {
            guard !known.isExpired(at: now) else { throw .expiredCookie }
            guard credentials.isGood(known, at: now) else { throw .revoked }
            return known
        }
        let principal = try cookies.principal(of: value, at: now)
        guard credentials.isGood(principal, at: now) else { throw .revoked }
        credentials.good.keep(principal, key)
        return principal
    }

    /// The value of a cookie for a principal, and how many seconds it lasts: until the credential
    /// ends, and at most as long as configured. `nil` for one that has shown nothing or has ended.
    package func cookie(
        for principal: Principal,
        at now: Int64
    ) -> (value: String, maxAge: Int64)? {
        guard principal.credential != .anonymous, !principal.isExpired(at: now) else { return nil }
        let longest = now + configuration.cookieSeconds
        let end = principal.expires.map { min($0, longest) } ?? longest
        return cookies.value(for: principal, until: end).map { ($0, end - now) }
    }

    /// Whether a principal is still what its credential says: it has not ended, and was not revoked
    /// by a reload. Asked for streams that are open.
    package func isGood(_ principal: Principal, at now: Int64) -> Bool {
        current.isGood(principal, at: now)
    }
}
