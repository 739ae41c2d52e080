import StoreCore
import StoreJSONSchema
import StorePlatform
import Synchronization

/// The wire names of a root state's actions, as a server has them.
struct ActionNames: Sendable {
    /// A wire name; for an action of instances, it contains no id.
    struct Entry: Sendable {
        let name: String
        let type: ObjectIdentifier
        /// The name of the case, if the type is an enum.
        let caseName: String?
    }

    /// The names in the order of modules, and then of cases.
    let entries: [Entry]
    /// The reason why a server does not start with these actions; `nil` if it starts.
    let refusal: String?

    /// Returns the names of the actions of these modules: the modules of the root state, or a
    /// single module.
    static func of<Root: RootState>(_ modules: Root.Modules) -> ActionNames {
        let root = ObjectIdentifier(Root.self)
        if let names = known.withLock({ $0[root] }) { return names }
        let names = ActionNames(modules)
        known.withLock { $0[root] = names }
        return names
    }

    /// The names by the type of the root. Deriving an enum's cases takes longer than most tests.
    private static let known = Locked<[ObjectIdentifier: ActionNames]>([:])

    private init<Root: RootState>(_ modules: [Mount<Root>]) {
        var entries: [Entry] = []
        var refusals: [String] = []
        for type in Root.dispatchables {
            do throws(ActionFormError) {
                let document = JSONSchemaDocument(of: [type])
                try Self.refuse(type, neededBy: document.roots[0], named: "\(type)")
            } catch {
                refusals.append(error.description)
            }
            entries.append(Entry(name: "\(type)", type: ObjectIdentifier(type), caseName: nil))
        }
        for mount in modules {
            for handler in mount.handlers {
                let type = ObjectIdentifier(handler.type)
                do {
                    for (name, caseName) in try Self.names(of: handler, mount) {
                        entries.append(Entry(name: name, type: type, caseName: caseName))
                    }
                } catch {
                    refusals.append("the actions of module '\(mount.name)': \(error)")
                    entries.append(Entry(name: "\(mount.name)/*", type: type, caseName: nil))
                }
            }
        }
        let twice = Dictionary(grouping: entries, by: \.name).filter { $1.count > 1 }.keys.sorted()
        refusals += twice.map { "two actions have the wire name '\($0)'; names must be unique" }
        self.entries = entries
        refusal = refusals.first
    }

    private static func names<Root>(
        of handler: ActionHandler<Root>,
        _ mount: Mount<Root>
    ) throws(ActionFormError) -> [(name: String, caseName: String?)] {
        switch handler.kind {
        case .start: return [("\(mount.name)/start", nil)]
        case .stop: return [("\(mount.name)/stop", nil)]
        case .dispatchable:
            let name = "\(handler.type)"
            if let wire = handler.wire {
                let document = JSONSchemaDocument(of: [wire])
                try refuse(handler.type, neededBy: document.roots[0], named: name)
            }
            return [(mount.slice.form == .instances ? "\(mount.name)/\(name)" : name, nil)]
        case .action, .ui, .internal:
            guard let type = handler.wire else { return [] }
            let form: EnumForm
            let prefixed = EnumForm.Prefixed(
                areOfViews: handler.kind == .ui,
                areOfInstances: mount.slice.form == .instances
            )
            do { form = try EnumForm(of: type, prefixed: prefixed) } catch {
                throw ActionFormError(description: error.description)
            }
            let names = form.cases.map { $0.wireName(in: mount.name) }
            for (choice, name) in zip(form.cases, names) {
                try refuse(handler.type, neededBy: choice.payload, named: name)
            }
            return zip(form.cases, names).map { ($1, $0.key) }
        }
    }

    private static func refuse(
        _ type: any Action.Type,
        neededBy payload: JSONSchema,
        named name: String
    ) throws(ActionFormError) {
        guard let secrets = (type as? any RedactedAction.Type)?.secrets,
            let needed = payload.needed(of: secrets)
        else { return }
        throw ActionFormError(
            description: "'\(name)' needs its secret member '\(needed)'; declare it optional"
        )
    }
}

/// The reason why an action has no form on the wire.
private struct ActionFormError: Error, CustomStringConvertible {
    let description: String
}
