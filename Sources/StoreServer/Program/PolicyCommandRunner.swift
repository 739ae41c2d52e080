import StoreActionCatalog
import StoreAuthorization
import StoreCommandLine
import StoreHTTP
import StoreTexts

struct PolicyCommandRunner<State: Codable & Equatable & Sendable> {
    let command: PolicyCommand
    let server: Server<State>
    let configuration: ServerConfiguration

    /// Runs the command. The policy file is the file of the command, or else the file of the
    /// configuration.
    func run() throws(ConfigurationError) -> PolicyAnswer {
        let worlds = try server.policyVocabularies()
        let path = command.file ?? configuration.access.policyFile
        let file = try path.map { path throws(ConfigurationError) in
            try PolicyFile(path, for: worlds)
        }
        switch command.verb {
        case .check:
            return PolicyAnswer("\(path ?? "the policy") is good: \(file?.summary ?? "none")\n")
        case .explain: return try explain(file, worlds)
        }
    }

    private func explain(
        _ file: PolicyFile?,
        _ vocabularies: [PolicyVocabulary]
    ) throws(ConfigurationError) -> PolicyAnswer {
        var question: PolicyQuestion
        var store = command.store
        if let path = command[.path] {
            question = .path(path, method: command[.method])
            // If the path lies below the path of an added store, the question is about that store.
            for other in server.stores.dropFirst()
            where command.store == nil && path.isBelow(other.links) {
                store = other.links.storeName
                let rest = path.utf8.dropFirst(other.links.basePath.utf8.count)
                question = .path(
                    rest.isEmpty ? "/" : String(decoding: rest, as: UTF8.self),
                    method: command[.method]
                )
            }
        } else {
            question = .action(
                command[.action] ?? "",
                payload: command[.payload].map { Array($0.utf8) },
                principal: command[.principal] ?? Policy.anonymousRoleName
            )
        }
        let explainer = PolicyExplainer(file, in: vocabularies[try index(ofStore: store)])
        let answer = try ConfigurationError.wrapErrors {
            try explainer.explain(question, as: command[.role] ?? "")
        }
        return PolicyAnswer(answer.text + "\n", exitsWithSuccess: answer.isAllowed)
    }

    /// Returns the index of a store in the process; the store at `/` has the index 0.
    private func index(ofStore name: String?) throws(ConfigurationError) -> Int {
        guard let name else { return 0 }
        guard let place = server.otherStores.firstIndex(where: { $0.name.isSame(as: name) }) else {
            throw server.unknownStoreError(name)
        }
        return place + 1
    }
}

extension Server {
    /// Returns the error for a command that names an unknown store.
    func unknownStoreError(_ name: String) -> ConfigurationError {
        let names = otherStores.map(\.name)
        return ConfigurationError(
            names.isEmpty
                ? "--store: this program has only one store; leave --store out"
                : "--store: there is no store '\(name)' beside the one at /; there are "
                    + names.joined(separator: ", ")
        )
    }
}

extension String {
    /// Returns true if this path leads to a resource of the store with these links.
    fileprivate func isBelow(_ links: Links) -> Bool {
        utf8.elementsEqual(links.basePath.utf8) || utf8.starts(with: (links.basePath + "/").utf8)
    }
}
