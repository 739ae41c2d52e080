import StoreActionCatalog
import StoreAdmission
import StoreAuthentication
import StoreAuthorization
import StoreHTTP
import StorePlatform

/// The access control of a store, made from the files that its configuration names.
struct StoreAccess: Sendable {
    let control: AccessControl
    /// The object that checks credentials. If a store has the clients of the store at `/`, both
    /// stores share this object, so they accept the same cookies.
    let authenticator: Authenticator
    private let readPolicy: @Sendable () throws(ConfigurationError) -> Policy

    /// Reads the files. Returns `nil` if the configuration names no policy. Every client may then
    /// use all routes.
    init?<State>(_ context: StoreContext<State>) throws(ConfigurationError) {
        let (server, configuration) = (context.server, context.configuration)
        guard let path = configuration.access.policyFile else { return nil }
        readPolicy = {
            [others = context.process.policyVocabularies] () throws(ConfigurationError) in
            let world = try server.policyVocabulary()
            let policy = Policy(try PolicyFile(path, for: [world] + others), in: world)
            return configuration.unrestrictedRole.map { policy.adding(unrestrictedRole: $0) }
                ?? policy
        }
        let root = context.hasClientsOfRoot ? context.process.servedStores.first : nil
        if let shared = root?.authenticator {
            authenticator = shared
        } else {
            authenticator = try configuration.makeAuthenticator()
        }
        control = AccessControl(
            authenticator,
            try readPolicy(),
            stateMembers: server.memberNames,
            logger: context.logger
        )
    }

    /// Reads the files again. If one of the files is wrong, throws an error and changes nothing.
    func reload() throws(ConfigurationError) {
        let policy = try readPolicy()
        try ConfigurationError.wrapErrors { try authenticator.reload() }
        control.replacePolicy(by: policy)
    }
}

extension PolicyFile {
    /// Reads the policy of a process with these stores. The error has a line for each mistake.
    init(_ path: String, for vocabularies: [PolicyVocabulary]) throws(ConfigurationError) {
        guard let bytes = FileReader.read(path, bytesMax: Self.bytesMax) else {
            throw ConfigurationError("\(path): can't be read; give a readable file with a policy")
        }
        do throws(PolicyError) { try self.init(parsing: bytes, for: vocabularies) } catch {
            throw ConfigurationError(error.lines(of: path).joined(separator: "\n"))
        }
    }
}
