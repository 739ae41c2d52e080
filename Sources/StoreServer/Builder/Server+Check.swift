import StoreActionCatalog
import StoreAuthorization
import StoreCommandLine
import StoreHTTP
import StoreJSONSchema
import StoreTexts

extension Server {
    /// The stores of the process with their links. The store of this server is the first, at `/`.
    var stores: [(links: Links, server: any AnyServer)] {
        [(Links(), self)] + otherStores.map { (Links(storeName: $0.name), $0.server) }
    }

    /// Refuses stores that can't be served together, and a configuration that can't be used.
    func check(_ configuration: ServerConfiguration) throws(ConfigurationError) {
        try checkStoreNames()
        try checkOptionNames()
        try checkJournals(configuration)
        try configuration.check()
        try checkOwnOptions(configuration)
        for store in stores { try store.server.checkDeclarations() }
        try checkMirroredPaths()
    }

    /// Refuses options for the server's own journals if every store has a journal of the program.
    /// Refuses a test clock if a store has a journal of the program, which would keep false times.
    /// `given` has the names of the options that a flag, a variable or the file sets.
    func checkJournals(
        _ configuration: ServerConfiguration,
        given: Set<String> = []
    ) throws(ConfigurationError) {
        let own = stores.map(\.server.hasCustomJournal)
        let hasNoFiles = stores.map { $0.server.hasCustomJournal || $0.server.isEphemeral }
        guard configuration.clock == .system || !own.contains(true) else {
            throw ConfigurationError(
                "--clock: 'test' gives actions invented times, and this program has a journal "
                    + "of its own, which would keep these times; leave this option out"
            )
        }
        if hasNoFiles.contains(false) || !own.contains(true) { return }
        let standard = ServerConfiguration()
        let names: Set = [
            "data", "personal-keys", "ephemeral", "accept-data-loss", "history-max", "retain-age",
            "retain-size",
        ]
        for option in ServerConfiguration.options where names.contains(option.name) {
            guard
                given.contains(option.name)
                    || option.formatValues(configuration) != option.formatValues(standard)
            else { continue }
            throw ConfigurationError(
                "--\(option.name): this program has a journal of its own, on which this flag "
                    + "has no effect; leave it out"
            )
        }
    }

    /// Refuses two shared values with the same file, even if the values belong to different stores.
    private func checkMirroredPaths() throws(ConfigurationError) {
        var paths: Set<ExactText> = []
        for path in stores.flatMap(\.server.sharedFilePaths) {
            guard paths.insert(ExactText(path)).inserted else {
                throw ConfigurationError(
                    "two shared values can't be kept in '\(path)'; give each a file of its own"
                )
            }
        }
    }

    private func checkStoreNames() throws(ConfigurationError) {
        var names: Set<ExactText> = []
        for name in otherStores.map(\.name) {
            guard StoreNameRule.isUsable(name) else {
                throw ConfigurationError(
                    "the store name '\(name)' is not allowed; allowed are at most "
                        + "\(StoreNameRule.charactersMax) letters, digits, '-', '_' and '.', a letter "
                        + "or digit first, but not '\(StoreStatus.defaultName)'"
                )
            }
            guard names.insert(ExactText(name)).inserted else {
                throw ConfigurationError("two stores have the name '\(name)'")
            }
        }
    }
}

/// The rule for the names of added stores, which become parts of paths and names of folders.
private enum StoreNameRule {
    static let charactersMax = 63

    static func isUsable(_ name: String) -> Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard let first = name.utf8.first, isAlphanumeric(first) else { return false }
        return name.utf8.count <= charactersMax
            && name.utf8.allSatisfy { isAlphanumeric($0) || "-_.".utf8.contains($0) }
            && !name.isSame(as: StoreStatus.defaultName)
    }
}

// Policies

extension Server {
    /// Returns the policy file of the configuration, checked against all stores of the process;
    /// `nil` if the configuration names no file.
    func policyFile(
        _ configuration: ServerConfiguration
    ) throws(ConfigurationError) -> PolicyFile? {
        guard let path = configuration.access.policyFile else { return nil }
        return try PolicyFile(path, for: policyVocabularies())
    }

    /// Returns the names that a policy may use, for each store. The first element is for the store
    /// at `/`.
    func policyVocabularies() throws(ConfigurationError) -> [PolicyVocabulary] {
        try stores.map { store throws(ConfigurationError) in try store.server.policyVocabulary() }
    }

    /// Returns the names of this store that a policy may use.
    func policyVocabulary() throws(ConfigurationError) -> PolicyVocabulary {
        PolicyVocabulary(
            members: memberNames,
            views: composition.viewNames,
            actions: try ActionRegistry<State>(actions, composition.actions()).entries.map {
                entry in
                PolicyAction(
                    entry.signature.name,
                    module: entry.module,
                    isForClients: entry.access != .program,
                    payloadMembers: entry.signature.payloadMemberNames,
                    secrets: entry.secretMembers,
                    findUnreachablePrefix: { [form = entry.signature] in
                        form.prefixWithoutValue(of: $0)
                    }
                )
            },
            useCases: composition.useCases.map(\.grantName),
            notifications: notificationNames
        )
    }

    /// The names of the modules, which are the members of the root state.
    var memberNames: [String] { (composition.modules ?? []).map(\.name) }

    /// The names of the notifications that reactions accept, sorted.
    var notificationNames: [String] {
        Set(reactions.compactMap { NotificationReaction($0)?.notificationName }).sorted()
    }
}
