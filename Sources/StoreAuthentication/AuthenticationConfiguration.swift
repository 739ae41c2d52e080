/// The configuration of an ``Authenticator``.
package struct AuthenticationConfiguration: Sendable, Equatable {
    /// The file with the digests of API keys; `nil` if the server takes no API keys.
    package var keysFile: String?
    /// The issuer whose JWTs the server takes; `nil` if it takes no JWTs.
    package var issuer: IssuerConfiguration?
    /// The file with the key of cookies; it is made if it does not exist. `nil` for a key that ends
    /// with the process.
    package var cookieKeyFile: String?
    /// The longest lifetime of a cookie.
    package var cookieSeconds: Int64 = 43_200

    package init() {}

    /// True if the server takes API keys or JWTs.
    package var takesCredentials: Bool { keysFile != nil || issuer != nil }
}

/// The issuer whose JWTs the server takes, and the required claims.
package struct IssuerConfiguration: Sendable, Equatable {
    /// The longest leeway.
    package static let leewaySecondsMax = 60
    /// The longest name of an issuer, an audience or a claim, in bytes.
    package static let textBytesMax = 1_024

    /// The required value of `iss`.
    package var name: String
    /// The accepted audiences: `aud` must contain at least one of them.
    package var audiences: [String]
    /// PEM or JWK Set files with the issuer's keys.
    package var keyFiles: [String]
    /// The claim that names the role.
    package var roleClaim = "role"
    /// The greatest difference between the clocks of issuer and server.
    package var leewaySeconds = 30

    package init(name: String, audiences: [String], keyFiles: [String]) {
        self.name = name
        self.audiences = audiences
        self.keyFiles = keyFiles
    }
}
