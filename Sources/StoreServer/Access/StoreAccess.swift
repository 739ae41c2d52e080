import StoreActionCatalog
import StoreAuthentication
import StoreAuthorization
import StoreHTTP
import StoreHTTPTransport
import StoreTelemetry

/// The access control of a store, made from the files that its configuration names.
struct StoreAccess: Sendable {
    let control: AccessControl
    private let authenticator: Authenticator
    private let readPolicy: @Sendable () throws(ConfigurationError) -> Policy

    /// Reads the files. Returns `nil` if the configuration names no policy; then every client may
    /// use everything that is served.
    ///
    /// - Parameters:
    ///   - server: the store.
    ///   - configuration: the configuration of this store.
    ///   - members: the members of the root state.
    ///   - others: the names of the other stores of the process, which a policy may also contain.
    ///   - logger: gets a line for each credential that is refused.
    /// - Throws: `ConfigurationError` if a file is wrong.
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

    /// Reads the files again. Either all of them are put into force, or none.
    ///
    /// - Throws: `ConfigurationError` if one of them is wrong.
    func reload() throws(ConfigurationError) {
        let policy = try readPolicy()
        do throws(CredentialFileError) { try authenticator.reload() } catch {
            throw ConfigurationError(error.description)
        }
        control.replace(by: policy)
    }
}
