import Glibc
import StoreJSON

@testable import StoreAuthentication

/// The credential of a request, and the files that it depends on. The first byte chooses the use of
/// the other bytes.
///
/// An unsigned token is refused. A token that the issuer has signed is accepted if its claims are
/// right.
struct TokensTarget: FuzzTarget {
    /// The time of all inputs, in seconds since 1970.
    static let now: Int64 = 1_800_000_000

    private let keys: FuzzKeys
    private let authenticator: Authenticator
    private let signer: CookieSigner
    private let cookies: Set<[UInt8]>

    init() {
        let authenticator: Authenticator
        do {
            keys = try FuzzKeys()
            authenticator = try Authenticator(keys.configuration)
            signer = try CookieSigner(file: nil)
        } catch {
            fatalError("\(error)")
        }
        self.authenticator = authenticator
        var cookies: Set<[UInt8]> = []
        for token in keys.tokens {
            let principal = token.withUnsafeBytes { bytes in
                try? authenticator.principal(bearing: bytes, at: Self.now)
            }
            guard let principal, let cookie = authenticator.cookie(for: principal, at: Self.now)
            else { fatalError("A token that is signed is refused: \(token.text)") }
            cookies.insert(Array(cookie.value.utf8))
        }
        self.cookies = cookies
    }

    func run(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch first % 8 {
        case 0: checkBearer(rest)  // @
        case 1: checkCookie(rest)  // A
        case 2: checkSigned(rest)  // B
        case 3: checkKeysFile(rest)  // C
        case 4: checkIssuerFile(rest)  // D
        case 5: checkCookieRoundTrip(rest)  // E
        case 6: checkBase64(rest)  // F
        default: checkSignedCookie(rest)  // G
        }
    }

    private func checkBearer(_ token: [UInt8]) {
        let principal = token.withUnsafeBytes {
            try? authenticator.principal(bearing: $0, at: Self.now)
        }
        hold(
            (principal != nil) == keys.tokens.contains(token),
            "\(token.text) is \(principal == nil ? "refused" : "taken")."
        )
    }

    private func checkCookie(_ value: [UInt8]) {
        let principal = value.withUnsafeBytes {
            try? authenticator.principal(ofCookie: $0, at: Self.now)
        }
        hold(principal == nil || cookies.contains(value), "\(value.text) is taken.")
    }

    /// Checks a token with any texts as header and claims, signed by the issuer's secret.
    private func checkSigned(_ bytes: [UInt8]) {
        let (header, claims) = halves(of: bytes)
        let token = keys.signed(header, claims)
        let principal = token.withUnsafeBytes {
            try? authenticator.principal(bearing: $0, at: Self.now)
        }
        guard let principal else { return }
        guard let header = try? JSONDocument(parsing: header, limits: .unbounded).root,
            let claims = try? JSONDocument(parsing: claims, limits: .unbounded).root
        else { fatalError("A token without JSON is taken.") }
        hold(header.member("alg")?.stringValue == "HS256", "The algorithm is that of the key.")
        hold(header.member("crit") == nil, "A token asks for extensions.")
        hold(claims.member("iss")?.stringValue == FuzzKeys.issuer, "The issuer is another.")
        let audience = claims.member("aud")
        let audiences =
            (audience?.kind == .array ? audience?.elements : audience.map { [$0] }) ?? []
        hold(
            audiences.contains { $0.stringValue == FuzzKeys.audience },
            "The token is for others."
        )
        let end = claims.member("exp").flatMap { Double($0.sourceText) } ?? 0
        hold(end + 31 > Double(Self.now), "The token has expired.")
        let start = claims.member("nbf").flatMap { Double($0.sourceText) } ?? 0
        hold(start - 31 < Double(Self.now), "The token is not valid yet.")
        hold(claims.member("sub")?.stringValue == principal.name, "The name is another.")
        hold(claims.member("role")?.stringValue == principal.role, "The role is another.")
        hold(principal.name != Principal.anonymousName, "A token is anonymous.")
        hold(PrincipalName.isAllowed(principal.name), "The name is not allowed.")
    }

    private func checkKeysFile(_ bytes: [UInt8]) {
        do throws(CredentialFileError) {
            let document = try APIKeyDocument(content(bytes))
            let again = try APIKeyDocument(content(document.bytes))
            hold(again.bytes == document.bytes, "A file reads back as the same.")
            hold(
                document.keys.allSatisfy { PrincipalName.isAllowedForPrincipal($0.principal) },
                "A key's name is not allowed."
            )
        } catch {
            hold(error.description.hasPrefix("f: "), "A refusal names the file.")
        }
    }

    private func checkIssuerFile(_ bytes: [UInt8]) {
        do throws(CredentialFileError) {
            let found = try IssuerKeyFile.readKeys(from: content(bytes))
            hold(!found.isEmpty, "A file without a key is taken.")
            let lines = bytes.split { $0 == 10 || $0 == 13 }.map(\.text)
            hold(
                !lines.contains { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("PRIVATE KEY-----") },
                "A private key is taken."
            )
            for key in found { _ = key.hasSigned(keys.token) }
        } catch {
            hold(error.description.hasPrefix("f: "), "A refusal names the file.")
        }
    }

    private func content(_ bytes: [UInt8]) -> CredentialFile.Content {
        CredentialFile.Content(path: "f", bytes: bytes, mode: 0o600)
    }

    private func checkCookieRoundTrip(_ bytes: [UInt8]) {
        let (name, role) = halves(of: bytes)
        let principal = Principal(
            name: name.text,
            role: role.text,
            credential: .apiKey("abcdefghijkl"),
            expiresAt: nil
        )
        guard let value = signer.value(for: principal, until: Self.now + 1) else {
            fatalError("No cookie is made.")
        }
        guard value.utf8.count <= CookieSigner.bytesMax else { return }
        let read = Array(value.utf8).withUnsafeBytes {
            try? signer.principal(of: $0, at: Self.now)
        }
        hold(
            read.map { Array($0.name.utf8) } == Array(principal.name.utf8)
                && read.map { Array($0.role.utf8) } == Array(principal.role.utf8),
            "A cookie is of another: \(value)"
        )
        let late = Array(value.utf8).withUnsafeBytes {
            try? signer.principal(of: $0, at: Self.now + 1)
        }
        hold(late == nil, "A cookie that has expired is taken.")
    }

    /// Checks a cookie of another server, which has another key.
    private func checkSignedCookie(_ bytes: [UInt8]) {
        let claims = Base64URL.encode(bytes)
        let value = claims + [UInt8(ascii: ".")] + Base64URL.encode(keys.mac(of: claims))
        checkCookie(value)
    }

    private func checkBase64(_ bytes: [UInt8]) {
        hold(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "Bytes read back as the same.")
        guard let decoded = Base64URL.decode(bytes) else { return }
        hold(Base64URL.encode(decoded) == bytes, "Bytes have one text.")
    }
}
