import StoreTexts

/// The names of all stores of a policy. The lists of each kind also give the hints for misspelt
/// names.
struct PolicyNames {
    let members: NameSet
    let views: NameSet
    let modules: NameSet
    let actions: NameSet
    let useCases: NameSet
    let notifications: NameSet
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
    }

    /// Returns true if only the program dispatches the action of this name.
    func isProgramOnly(_ name: String) -> Bool {
        guard !actions.contains(name) else { return false }
        return byName[ExactText(name)] != nil
    }

    /// Returns the actions of a grant.
    func actions(of types: ActionScope) -> [PolicyAction] {
        switch types {
        case .everything: all.filter(\.isForClients)
        case .module(let name): byModule[ExactText(name)] ?? []
        case .action(let name): byName[ExactText(name)] ?? []
        }
    }

    /// Returns the name for all instances if the given name is that of one instance:
    /// `cards/{id}/liked` for `cards/7/liked`.
    func instancesName(for name: String) -> String? {
        InstanceName.template(of: name).flatMap { actions.contains($0) ? $0 : nil }
    }
}

/// Names of one kind, in their order, without duplicates.
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

/// The conversion from the name for one instance to the name for all instances.
enum InstanceName {
    /// Returns `cards/{id}/liked` for `cards/7/liked`: the id stands between the first slash and
    /// the last. `nil` if there is no id.
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
