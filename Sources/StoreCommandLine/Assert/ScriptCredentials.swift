/// The credentials that the requests of a script send to a server with a policy.
package struct ScriptCredentials: Sendable {
    /// The credential of requests that read the state and the log without a session; `nil` if these
    /// requests have no credential.
    let sessionlessReaderCredential: Credential?
    /// The credentials of steps, by the principals of the steps, such as `author/u1`.
    package var senderCredentialsByPrincipal: [String: Credential]
    /// The credentials of requests that read the state in a session, by principal. If this
    /// dictionary has no element for a principal, its requests have the credential from
    /// ``senderCredentialsByPrincipal``.
    package var sessionReaderCredentialsByPrincipal: [String: Credential] = [:]

    package init(
        sessionlessReaderCredential: Credential? = nil,
        senderCredentials: [String: Credential] = [:]
    ) {
        self.sessionlessReaderCredential = sessionlessReaderCredential
        self.senderCredentialsByPrincipal = senderCredentials
    }
}
