import StoreCore
import Wire

/// Finds an action's type by its wire name, and what the server does with that type.
struct ActionRegistry<State>: Sendable {
    typealias Entry = RegisteredAction<State>

    let entries: [Entry]
    private let byName: [String: Int]
    private let writers: [ObjectIdentifier: ActionWriter]

    /// Registers every action of the list, and those of modules.
    ///
    /// - Throws: where two types share a wire name, a name is empty, or an action's analytics are
    ///   declared for another state.
    init(_ list: ActionList, _ modules: [ModuleActions<State>] = []) throws(ConfigurationError) {
        var entries: [Entry] = []
        var byName: [String: Int] = [:]
        var writers: [ObjectIdentifier: ActionWriter] = [:]
        for entry in list.entries {
            entries.append(try Entry(entry.type, named: entry.name, module: entry.module))
            writers[ObjectIdentifier(entry.type)] = .whole(entry.type, named: entry.name)
        }
        for module in modules {
            entries += try module.entries()
            for (type, writer) in module.writers { writers[type] = writer }
        }
        for (index, entry) in entries.enumerated() {
            guard !entry.name.isEmpty else {
                throw ConfigurationError("an action has an empty wire name; give it one")
            }
            guard byName.updateValue(index, forKey: entry.name) == nil else {
                throw ConfigurationError(
                    "two actions have the wire name '\(entry.name)'; names must be unique"
                )
            }
        }
        self.entries = entries
        self.byName = byName
        self.writers = writers
    }

    /// The action of this wire name; one of an instance, `cards/7/liked`, knows which it is for.
    subscript(name: String) -> Entry? {
        if let index = byName[name], !entries[index].isForInstances { return entries[index] }
        return ofInstance(name)
    }

    private func ofInstance(_ name: String) -> Entry? {
        guard let first = name.firstIndex(of: "/"), let last = name.lastIndex(of: "/"), first < last
        else { return nil }
        let instance = name[name.index(after: first)..<last]
        guard 1...InstanceID.bytesMax ~= instance.utf8.count,
            let index = byName[String(name[..<first] + name[last...])],
            entries[index].isForInstances
        else { return nil }
        return entries[index].of(String(instance))
    }

    /// The wire names of what may be dispatched somewhere.
    func names(for audience: ActionAudience) -> [String] { forms(for: audience).map(\.name) }

    /// What may be dispatched somewhere, for schemas.
    func forms(for audience: ActionAudience = .everybody) -> [ActionForm] {
        entries.filter { entry in
            switch audience {
            case .everybody: entry.access == .everybody
            case .views(let module): entry.access == .views && entry.module == module
            }
        }.map(\.form)
    }

    /// What the journal keeps of an action that the program itself dispatches.
    ///
    /// - Throws: where the action is not registered, or has no JSON form.
    func member(of action: any Action, _ encoder: JSONEncoder) throws -> EnvelopeMember {
        let addressed = action as? AddressedAction
        let inner = addressed?.action ?? action
        guard let writer = writers[ObjectIdentifier(type(of: inner))] else {
            throw UnregisteredAction(type: "\(type(of: inner))")
        }
        let (name, payload) = try writer.write(inner, encoder)
        let type = writer.prefix.map { prefix in
            addressed.map { "\(prefix)/\($0.instance)/\(name)" } ?? "\(prefix)/\(name)"
        }
        return EnvelopeMember(action: action, type: type ?? name, payload: payload)
    }
}

/// The bound on instances' ids.
enum InstanceID {
    static let bytesMax = 128
}

/// The program dispatched an action that no list and no module has.
struct UnregisteredAction: Error, CustomStringConvertible {
    let type: String

    var description: String {
        "\(type) is dispatched by the program, but registered nowhere: the journal has no name for it"
    }
}
