import StoreActionCatalog
import StoreAdmission
import StoreAuthentication
import StoreAuthorization
import StoreHTTP
import StoreHTTPTransport
import StoreJSONSchema
import StorePlatform
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

// Policies

extension StoreServer {
    /// Returns the policy for the requests of this store: the file of the configuration, or the
    /// policy of an open store.
    ///
    /// - Parameters:
    ///   - configuration: names the file.
    ///   - others: the names of the other stores of the process.
    ///   - groups: further routes that anonymous may use if there is no file.
    /// - Returns: the policy for this store.
    /// - Throws: ``ConfigurationError`` with a line for each mistake in the file.
    func policy(
        _ configuration: ServerConfiguration,
        beside others: [PolicyWorld],
        open groups: Set<RouteGroupName> = []
    ) throws(ConfigurationError) -> Policy {
        guard let path = configuration.policyFile else { return .open(adding: groups) }
        let world = try policyWorld()
        let policy = Policy(try PolicyFile(path, for: [world] + others), in: world)
        return configuration.readerRole.map { policy.adding(roleOfAll: $0) } ?? policy
    }

    /// Returns the policy file of the configuration, checked against all stores of the process;
    /// `nil` if the configuration names no file.
    func policyFile(
        _ configuration: ServerConfiguration
    ) throws(ConfigurationError) -> PolicyFile? {
        guard let path = configuration.policyFile else { return nil }
        return try PolicyFile(path, for: policyWorlds())
    }

    /// Returns the names of all stores of the process. The first element is for the store at `/`.
    func policyWorlds() throws(ConfigurationError) -> [PolicyWorld] {
        var worlds = [try policyWorld()]
        for other in others { worlds.append(try other.program.policyWorld()) }
        return worlds
    }

    /// Returns the names in this store that a policy may use.
    func policyWorld() throws(ConfigurationError) -> PolicyWorld {
        PolicyWorld(
            members: (composition.modules ?? []).map(\.name),
            views: composition.viewNames,
            actions: try ActionRegistry<State>(actions, composition.actions()).entries.map {
                entry in
                PolicyAction(
                    entry.form.name,
                    module: entry.module,
                    isForClients: entry.access != .program,
                    members: entry.form.memberNames,
                    secrets: entry.secrets,
                    deadEnd: { [form = entry.form] in form.deadEnd(of: $0) }
                )
            },
            useCases: composition.useCases.map(\.grantName),
            notifications: Set(reactions.compactMap { NotificationReaction($0)?.name }).sorted()
        )
    }
}

extension PolicyFile {
    /// Reads the policy at a path, for the stores of a process.
    ///
    /// - Throws: ``ConfigurationError`` with a line for each mistake.
    init(_ path: String, for worlds: [PolicyWorld]) throws(ConfigurationError) {
        guard let bytes = FileReader.read(path, bytesMax: Self.bytesMax) else {
            throw ConfigurationError("\(path): can't be read; allowed is a policy's file")
        }
        do throws(PolicyError) {
            try self.init(parsing: bytes, for: worlds)
        } catch {
            throw ConfigurationError(error.lines(of: path).joined(separator: "\n"))
        }
    }
}
