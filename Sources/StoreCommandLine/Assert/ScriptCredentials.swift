/// The credentials that a script's requests show to a server with a policy.
package struct ScriptCredentials: Sendable {
    /// The credential for reading the state and the log outside of any session; `nil`: none.
    let reader: Credential?
    /// The credentials of steps, by principals such as `author/u1`.
    package var senders: [String: Credential]
    /// The credentials that read the state in the sessions of principals. A principal without such
    /// a credential reads with the credential of its steps.
    package var readers: [String: Credential] = [:]

    package init(reader: Credential? = nil, senders: [String: Credential] = [:]) {
        self.reader = reader
        self.senders = senders
    }
}
