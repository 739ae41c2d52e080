import StoreAuthentication
import StoreCommandLine
import StorePlatform
import StoreWire

struct TokenCommandRunner {
    let command: TokenCommand
    let configuration: ServerConfiguration
    private let nowSecondsSince1970 = SystemTime.wallNanoseconds() / 1_000_000_000

    /// Runs the command. Returns the text to print.
    func run() throws -> String {
        switch command.verb {
        case .create: try create()
        case .list: try list()
        case .revoke: try revoke()
        case .check: try check()
        }
    }

    private func keysFile() throws(UsageError) -> APIKeyFile {
        guard let path = command.keysFile ?? configuration.access.apiKeysFile else {
            throw UsageError("token: no keys file is given; name it with --keys, see --help")
        }
        return APIKeyFile(path)
    }

    /// Creates a key. Returns only the token of the key, so that a script can read the token.
    private func create() throws -> String {
        let end = try command.expiry.map { text throws(UsageError) in
            guard let end = Self.expiry(from: text, at: nowSecondsSince1970) else {
                throw .disallowedValue(
                    text,
                    of: "--expires",
                    allowed: "90d, 12h, 30m or a time in the future such as 2027-01-31T00:00:00Z"
                )
            }
            return end
        }
        let made = try keysFile().create(
            principal: command.principal ?? "",
            role: command.role ?? "",
            expiresAt: end,
            at: nowSecondsSince1970
        )
        return made.token + "\n"
    }

    private func list() throws -> String {
        let rows = try keysFile().readKeys().map { key in
            let end = key.expiresAt.map {
                Self.text(of: $0) + (key.isExpired(at: nowSecondsSince1970) ? " (expired)" : "")
            }
            return [key.id, key.principal, key.role, Self.text(of: key.createdAt), end ?? "never"]
        }
        return ([["id", "principal", "role", "created", "expires"]] + rows)
            .map { $0.joined(separator: "\t") + "\n" }.joined()
    }

    private func revoke() throws -> String {
        let key = try keysFile().revoke(command.keyIDOrToken ?? "")
        return "revoked \(key.id) of \(key.principal); a running server reads its keys again on "
            + "SIGHUP\n"
    }

    private func check() throws -> String {
        try configuration.checkIssuer()
        var checked = configuration
        checked.access.apiKeysFile = command.keysFile ?? configuration.access.apiKeysFile
        // The check needs no key for cookies. With the history in memory, the configuration names
        // no file for this key.
        checked.history.ephemeral = true
        guard checked.authentication.takesCredentials else {
            throw UsageError(
                "token: check needs --keys, or --jwt-keys with --jwt-issuer and --jwt-audience; "
                    + "see --help"
            )
        }
        let authenticator = try checked.makeAuthenticator()
        var token = command.keyIDOrToken ?? ""
        do {
            let principal = try token.withUTF8 {
                try authenticator.principal(
                    bearing: UnsafeRawBufferPointer($0),
                    at: nowSecondsSince1970
                )
            }
            return """
                valid
                credential: \(principal.credential)
                principal: \(principal.name)
                role: \(principal.role)
                expires: \(principal.expiresAt.map { Self.text(of: $0) } ?? "never")

                """
        } catch let error as AuthenticationError {
            throw CommandFailure("not valid: \(error)")
        }
    }

    private static func text(of second: Int64) -> String {
        CivilTime(secondsSince1970: second).rfc3339(.seconds)
    }

    /// Returns the second at which a key expires, from a duration such as `90d` or a time (RFC
    /// 3339). Returns `nil` for any other text, for a time in the past, and for a time more than a
    /// hundred years away.
    static func expiry(from text: String, at now: Int64) -> Int64? {
        let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400]
        let end: Int64
        if let time = CivilTime.nanoseconds(rfc3339: text) {
            end = time / 1_000_000_000
        } else if let unit = text.last.flatMap({ units[$0] }),
            text.utf8.dropLast().allSatisfy({ (48...57).contains($0) }),
            let count = Int64(text.dropLast()), count < 1 << 32
        {
            end = now + count * unit
        } else {
            return nil
        }
        return now + 1...now + 100 * 365 * 86_400 ~= end ? end : nil
    }
}
