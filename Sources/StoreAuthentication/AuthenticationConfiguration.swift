/// What an ``Authenticator`` is made of.
package struct AuthenticationConfiguration: Sendable, Equatable {
    /// The file with the digests of API keys; `nil` where there are none.
    package var keysFile: String?
    /// Whose JWTs are taken; `nil` for none.
    package var issuer: IssuerConfiguration?
    /// The file with the key of cookies, made where it is not there; `nil` for a key that ends with
    /// the process.
    package var cookieKeyFile: String?
    /// How long a cookie lasts at most.
    package var cookieSeconds: Int64 = 43_200

    package init() {}

    /// Whether any credential can be good.
    package var takesCredentials: Bool { keysFile != nil || issuer != nil }
}

/// The issuer whose JWTs are taken, and what they have to say.
package struct IssuerConfiguration: Sendable, Equatable {
    /// The longest leeway.
    package static let leewaySecondsMax = 60
    /// The longest name of an issuer, an audience or a claim, in bytes.
    package static let textBytesMax = 1_024

    /// What `iss` has to be.
    package var name: String
    /// One of these has to be in `aud`.
    package var audiences: [String]
    /// PEM or JWK Set files with the issuer's keys.
    package var keyFiles: [String]
    /// The claim that names the role.
    package var roleClaim = "role"
    /// How far the clocks of issuer and server may differ.
    package var leewaySeconds = 30

    package init(name: String, audiences: [String], keyFiles: [String]) {
        self.name = name
        self.audiences = audiences
        self.keyFiles = keyFiles
    }
}
