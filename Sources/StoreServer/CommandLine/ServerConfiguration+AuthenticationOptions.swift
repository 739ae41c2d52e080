import StoreAuthentication
import StoreCommandLine

extension ServerConfiguration {
    static let authenticationOptions: [Option] = [
        .file(
            "auth-keys",
            \.authKeysFile,
            help: "take the API keys of this file, which 'token create' makes"
        ),
        .list(
            "jwt-keys",
            "FILE",
            \.jwtKeyFiles,
            help: "take JWTs that the keys of this file have signed: a JWK Set, or a public key "
                + "or certificate in PEM",
            check: { $0.isEmpty ? "a file's path" : nil }
        ),
        .text(
            "jwt-issuer",
            "ISSUER",
            \.jwtIssuer,
            help: "the issuer of the JWTs, which iss has to name",
            check: { isClaimText($0) ? nil : claimText }
        ),
        .list(
            "jwt-audience",
            "AUDIENCE",
            \.jwtAudiences,
            help: "the name of this server in aud of a JWT; with several, any of them",
            check: { isClaimText($0) ? nil : claimText }
        ),
        .text(
            "jwt-role-claim",
            "CLAIM",
            \.jwtRoleClaim,
            help: "the claim of a JWT that names the role",
            check: { isClaimText($0) ? nil : claimText }
        ),
        .number(
            "jwt-leeway",
            \.jwtLeewaySeconds,
            in: 0...IssuerConfiguration.leewaySecondsMax,
            unit: "seconds",
            help: "how far the clocks of the issuer and this machine may differ"
        ),
        .number(
            "auth-cookie-seconds",
            \.authCookieSeconds,
            in: 60...31_536_000,
            unit: "seconds",
            help: "how long a browser's cookie lasts at most"
        ),
        .choice(
            "cookie-secure",
            "WHEN",
            \.cookieSecure,
            help: "when cookies are Secure: always, never, or auto, by the request's transport"
        ),
    ]

    private static func isClaimText(_ text: String) -> Bool {
        1...IssuerConfiguration.textBytesMax ~= text.utf8.count
    }

    private static let claimText = "1 to \(IssuerConfiguration.textBytesMax) bytes of text"
}
