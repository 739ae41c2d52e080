import StoreActionCatalog
import StoreAuthentication
import StoreAuthorization
import StoreHTTP
import StoreHTTPTransport
import StoreTelemetry

/// Who may do what in a store, as the files of its configuration say.
struct StoreAccess: Sendable {
    let control: AccessControl
    private let authenticator: Authenticator
    private let readPolicy: @Sendable () throws(ConfigurationError) -> Policy

    /// Reads the files; `nil` where the configuration names none, and all may do what is served.
    ///
    /// - Parameters:
    ///   - server: the store.
    ///   - configuration: its own.
    ///   - members: the members of the root state.
    ///   - others: the names of the other stores of the process, which a policy may have, too.
    ///   - logger: gets a line for each credential that is refused.
    /// - Throws: where a file is wrong.
    init?<State>(
        _ server: StoreServer<State>,
        _ configuration: ServerConfiguration,
        members: [String],
        beside others: [PolicyWorld],
        _ logger: Logger
    ) throws(ConfigurationError) {
        guard configuration.policyFile != nil else { return nil }
        readPolicy = { () throws(ConfigurationError) in
            try server.policy(configuration, beside: others)
        }
        authenticator = try configuration.makeAuthenticator()
        control = AccessControl(
            authenticator,
            try readPolicy(),
            members: members,
            logger: logger
        )
    }

    /// Reads the files again, whole or not at all.
    ///
    /// - Throws: where one of them is wrong; then nothing has changed.
    func reload() throws(ConfigurationError) {
        let policy = try readPolicy()
        do throws(CredentialFileError) { try authenticator.reload() } catch {
            throw ConfigurationError(error.description)
        }
        control.replace(by: policy)
    }
}
