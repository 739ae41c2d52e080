/// The credentials that a script's requests show to a server with a policy.
package struct ScriptCredentials: Sendable {
    /// The credential for reading the state and the log outside of any session; `nil`: none.
    var reader: Credential?
    /// The credentials of steps, by principals such as `author/u1`.
    var senders: [String: Credential] = [:]
    /// The credentials that read the state in the sessions of principals. A principal without such
    /// a credential reads with the credential of its steps.
    var readers: [String: Credential] = [:]

    /// Makes credentials for a script that shows none.
    package init() {}

    /// Makes the credentials from the keys of a server that was started for a script.
    ///
    /// - Parameters:
    ///   - reader: an API key with all rights.
    ///   - senders: API keys by principals.
    ///   - readers: API keys of the same names, with all rights.
    /// - Throws: ``UsageError`` if one of them is not a credential.
    package init(
        reader: String,
        senders: [String: String],
        readers: [String: String]
    ) throws(UsageError) {
        self.reader = try Credential(reader, of: "the key of the script")
        for (principal, token) in senders {
            self.senders[principal] = try Credential(token, of: principal)
        }
        for (principal, token) in readers {
            self.readers[principal] = try Credential(token, of: principal)
        }
    }

    init(reader: Credential?, senders: [String: Credential]) {
        self.reader = reader
        self.senders = senders
    }
}

/// A server that was started for a script, and keeps nothing.
package struct ScriptServer: Sendable {
    let url: String
    let credentials: ScriptCredentials
    let stop: @Sendable () -> Void

    package init(
        url: String,
        credentials: ScriptCredentials,
        stop: @escaping @Sendable () -> Void
    ) {
        self.url = url
        self.credentials = credentials
        self.stop = stop
    }
}
