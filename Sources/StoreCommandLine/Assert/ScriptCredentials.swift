/// The credentials that a script's requests show to a server with a policy.
package struct ScriptCredentials: Sendable {
    /// The credential for reading the state and the log outside of any session; `nil`: none.
    var reader: Credential?
    /// By principals, such as `author/u1`: what their steps show.
    var senders: [String: Credential] = [:]
    /// By principals: what looks at the state in a session of theirs. One without such a credential
    /// shows that of its steps.
    var readers: [String: Credential] = [:]

    /// Nothing is shown.
    package init() {}

    /// What a server that was started for a script gave out.
    ///
    /// - Parameters:
    ///   - reader: an API key that sees everything.
    ///   - senders: API keys by principals.
    ///   - readers: API keys of the same names, which see everything.
    /// - Throws: ``UsageError`` where one of them is no credential.
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
