import StoreTexts

/// The names of all stores that a policy is for, each kind with what is offered for a misspelt one.
struct PolicyNames {
    let members: NameSet
    let views: NameSet
    let modules: NameSet
    let actions: NameSet
    let useCases: NameSet
    let notifications: NameSet
    /// Whether some store's state is one piece.
    let hasSinglePiece: Bool
    /// The actions of each name, one for each store that has it.
    private let byName: [ExactText: [PolicyAction]]
    private let byModule: [ExactText: [PolicyAction]]
    private let all: [PolicyAction]

    init(_ worlds: [PolicyWorld]) {
        all = worlds.flatMap(\.actions)
        byName = Dictionary(grouping: all) { ExactText($0.name) }
        byModule = Dictionary(grouping: all.filter(\.isForClients)) { ExactText($0.module ?? "") }
        members = NameSet(worlds.flatMap(\.members))
        views = NameSet(worlds.flatMap(\.views))
        modules = NameSet(all.filter(\.isForClients).compactMap(\.module))
        actions = NameSet(all.filter(\.isForClients).map(\.name))
        useCases = NameSet(worlds.flatMap(\.useCases))
        notifications = NameSet(worlds.flatMap(\.notifications))
        hasSinglePiece = worlds.contains { $0.members.isEmpty }
    }

    /// Whether only the program dispatches the action of this name.
    func isProgramOnly(_ name: String) -> Bool {
        guard !actions.contains(name) else { return false }
        return byName[ExactText(name)] != nil
    }

    /// The actions that a grant is about.
    func actions(of types: ActionScope) -> [PolicyAction] {
        switch types {
        case .everything: all.filter(\.isForClients)
        case .module(let name): byModule[ExactText(name)] ?? []
        case .action(let name): byName[ExactText(name)] ?? []
        }
    }

    /// The name of the action of all instances that the name of one instance's belongs to:
    /// `cards/{id}/liked` for `cards/7/liked`.
    func instancesName(for name: String) -> String? {
        InstanceName.template(of: name).flatMap { actions.contains($0) ? $0 : nil }
    }
}

/// Names of one kind, in their order, each once.
struct NameSet {
    let names: [String]
    private let set: Set<ExactText>

    init(_ names: [String]) {
        var set: Set<ExactText> = []
        self.names = names.filter { set.insert(ExactText($0)).inserted }
        self.set = set
    }

    func contains(_ name: String) -> Bool { set.contains(ExactText(name)) }
}

/// How the names of one instance and of all instances belong together.
enum InstanceName {
    /// `cards/{id}/liked` for `cards/7/liked`: an id stands between the first slash and the last.
    static func template(of name: String) -> String? {
        let bytes = Array(name.utf8)
        let slash = UInt8(ascii: "/")
        guard let first = bytes.firstIndex(of: slash), let last = bytes.lastIndex(of: slash),
            first + 1 < last
        else { return nil }
        return String(decoding: bytes[...first], as: UTF8.self) + "{id}"
            + String(decoding: bytes[last...], as: UTF8.self)
    }
}
