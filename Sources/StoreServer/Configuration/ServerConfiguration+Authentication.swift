import StoreActionCatalog
import StoreAuthentication
import StoreCommandLine

extension ServerConfiguration {
    /// The configuration of the authenticator.
    var authentication: AuthenticationConfiguration {
        var authentication = AuthenticationConfiguration()
        authentication.keysFile = authKeysFile
        if !jwtKeyFiles.isEmpty, let jwtIssuer {
            var issuer = IssuerConfiguration(
                name: jwtIssuer,
                audiences: jwtAudiences,
                keyFiles: jwtKeyFiles
            )
            issuer.roleClaim = jwtRoleClaim
            issuer.leewaySeconds = jwtLeewaySeconds
            authentication.issuer = issuer
        }
        authentication.cookieKeyFile = ephemeral ? nil : dataDirectory + "/auth-cookie.key"
        authentication.cookieSeconds = Int64(authCookieSeconds)
        return authentication
    }

    /// Makes the authenticator. The data directory has to exist, unless history is kept in memory.
    ///
    /// - Throws: `ConfigurationError` if a file with keys can't be used.
    func makeAuthenticator() throws(ConfigurationError) -> Authenticator {
        var authentication = authentication
        if !authentication.takesCredentials { authentication.cookieKeyFile = nil }
        do throws(CredentialFileError) { return try Authenticator(authentication) } catch {
            throw ConfigurationError(error.description)
        }
    }

    /// Refuses files with keys that can't be used.
    func checkCredentialFiles() throws(ConfigurationError) {
        do throws(CredentialFileError) { try Authenticator.check(authentication) } catch {
            throw ConfigurationError(error.description)
        }
    }

    /// Refuses options about credentials that do not fit together.
    func checkAuthentication() throws(ConfigurationError) {
        guard policyFile != nil || !authentication.takesCredentials else {
            throw ConfigurationError(
                "--auth-keys and --jwt-keys need --policy: a token names a role, and only a policy "
                    + "gives that role its rights"
            )
        }
        try checkIssuer()
        guard 60...31_536_000 ~= authCookieSeconds else {
            throw .value(
                "\(authCookieSeconds)",
                of: "--auth-cookie-seconds",
                allowed: "60 to 31536000 seconds"
            )
        }
    }

    /// Refuses options about JWTs that do not fit together.
    func checkIssuer() throws(ConfigurationError) {
        let hasKeys = !jwtKeyFiles.isEmpty
        guard hasKeys == (jwtIssuer != nil), hasKeys == !jwtAudiences.isEmpty else {
            throw ConfigurationError(
                "--jwt-keys, --jwt-issuer and --jwt-audience go together: a JWT is accepted if a "
                    + "key of the issuer has signed it, and it names that issuer and this server"
            )
        }
        guard 0...IssuerConfiguration.leewaySecondsMax ~= jwtLeewaySeconds else {
            throw .value(
                "\(jwtLeewaySeconds)",
                of: "--jwt-leeway",
                allowed: "0 to \(IssuerConfiguration.leewaySecondsMax) seconds"
            )
        }
    }
    /// True if browsers show cookies over TLS alone; `nil` if that depends on the request.
    var hasSecureCookies: Bool? {
        switch cookieSecure {
        case .auto: nil
        case .always: true
        case .never: false
        }
    }
}

// Options

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
