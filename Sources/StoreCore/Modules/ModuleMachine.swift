import Synchronization

/// The reducer that the modules of a root state make together.
///
/// Finds by an action's type which slice it is for, so that an action costs the same however many
/// modules there are. One thread at a time may use it.
package final class ModuleMachine<Root: RootState>: StateMachine, @unchecked Sendable {
    // Safety: `touched` belongs to the thread that reduces, which is the Core's.

    private struct Link: Sendable {
        let reader: Int
        let owner: Int
        let link: SharedLink<Root>
    }

    /// An object, because it is looked up for each action and has many members to copy.
    private final class Known: Sendable {
        let module: Int
        let handler: ActionHandler<Root>

        init(module: Int, handler: ActionHandler<Root>) {
            self.module = module
            self.handler = handler
        }
    }

    private let known: [ObjectIdentifier: Known]
    private let names: [String]
    /// Which modules have instances.
    private let hasInstances: [Bool]
    private let modules: Root.Modules
    /// For each module, the links that its changes may move: those to it, and those from it.
    private let links: [[Link]]
    /// The ledger of effects, where there is one.
    private let ledger: (module: Int, place: SlicePlace<Root, PendingEffects.State>)?
    /// Those who want to know which modules may have changed.
    private var touched: [TouchedModules]
    /// What is presented to whom; `nil` in a replay, which nobody sees.
    private let presentation: Presentation<Root>?

    /// - Parameters:
    ///   - modules: those of the root state, unless a module is to be tried alone.
    ///   - touched: told of every module whose slice may have changed.
    /// - Throws: ``ModuleError`` where the modules don't fit together.
    package convenience init(
        of modules: Root.Modules = Root.modules,
        _ touched: [TouchedModules] = []
    ) throws(ModuleError) {
        try self.init(of: modules, touched, presentation: nil)
    }

    /// - Parameter presentation: what is presented to whom, where actions come from sessions.
    init(
        of modules: Root.Modules,
        _ touched: [TouchedModules],
        presentation: Presentation<Root>?
    ) throws(ModuleError) {
        self.touched = touched
        self.presentation = presentation
        var known: [ObjectIdentifier: Known] = [:]
        var taken: Set<String> = []
        for (index, mount) in modules.enumerated() {
            guard taken.insert(mount.name).inserted else { throw ModuleError.nameTwice(mount.name) }
            if let stranger = mount.slice.strangers.first {
                throw ModuleError.foreignDispatchable("\(stranger)", mount.name)
            }
            for handler in mount.slice.handlers {
                let entry = Known(module: index, handler: handler)
                guard known.updateValue(entry, forKey: ObjectIdentifier(handler.type)) == nil
                else { throw ModuleError.actionTwice("\(handler.type)", mount.name) }
            }
        }
        self.known = known
        self.modules = modules
        names = modules.map(\.name)
        hasInstances = modules.map { $0.slice.form == .instances }
        links = try Self.links(of: modules)
        ledger = try Self.ledger(of: modules)
    }

    package func reduce(
        _ state: inout Root,
        _ action: any Action,
        version: UInt64,
        from sessions: [String] = []
    ) throws -> Bool {
        let (action, instance) = Self.addressed(action)
        guard let known = known[ObjectIdentifier(type(of: action))] else { return false }
        if known.handler.kind == .ui {
            try presentation?.admit(known.module, instance, from: sessions, in: state)
        }
        if known.handler.kind == .start {
            presentation?.note(known.module, startedBy: sessions, in: state)
        }
        let changed = try known.handler.reduce(&state, action, instance)
        if changed {
            touch(known.module, instance)
            presentation?.note(known.module, changedBy: sessions)
            for link in links[known.module] { update(link, &state) }
        }
        guard let ledger, modules[known.module].slice.keepsEffects else { return changed }
        let address = SliceAddress(module: names[known.module], instance: instance)
        guard let effect = known.handler.effect(state, action, address), effect.onRestart != .lost,
            var pending = ledger.place.read(state, nil)
        else { return changed }
        pending.pending.append(
            PendingEffects.Entry(
                version: version,
                slice: address.path,
                onRestart: effect.onRestart
            )
        )
        ledger.place.write(pending, &state, nil)
        touch(ledger.module)
        return true
    }

    private static func ledger(
        of modules: Root.Modules
    ) throws(ModuleError) -> (module: Int, place: SlicePlace<Root, PendingEffects.State>)? {
        for (index, mount) in modules.enumerated() where mount.name == PendingEffects.name {
            if let place = mount.slice.place(of: PendingEffects.State.self)
                as? SlicePlace<Root, PendingEffects.State>
            {
                return (index, place)
            }
        }
        if let keeper = modules.first(where: { $0.slice.keepsEffects }) {
            throw .noLedger(keeper.name)
        }
        return nil
    }

    /// Fills in what modules see of one another, in a state that no action has led to.
    package func connect(_ state: inout Root) {
        for link in links.joined() { update(link, &state) }
    }

    private func update(_ link: Link, _ state: inout Root) {
        if link.link.update(&state, modules[link.reader].slice, modules[link.owner].slice) {
            touch(link.reader)
        }
    }

    private func touch(_ module: Int, _ instance: String? = nil) {
        let instance = hasInstances[module] ? instance : nil
        for touched in touched { touched.insert(module, instance) }
    }

    private static func links(of modules: Root.Modules) throws(ModuleError) -> [[Link]] {
        var links: [[Link]] = Array(repeating: [], count: modules.count)
        for (reader, mount) in modules.enumerated() {
            for shared in mount.links {
                guard let owner = modules.firstIndex(where: { $0.name == shared.owner }),
                    owner != reader
                else { throw ModuleError.foreignOwner(shared.owner, reader: mount.name) }
                let link = Link(reader: reader, owner: owner, link: shared)
                links[owner].append(link)
                links[reader].append(link)
            }
        }
        return links
    }

    package func effect(after action: any Action, in state: Root) -> PendingEffect? {
        let (action, instance) = Self.addressed(action)
        guard let known = known[ObjectIdentifier(type(of: action))] else { return nil }
        let address = SliceAddress(module: names[known.module], instance: instance)
        switch known.handler.kind {
        case .start, .stop:
            return .newLife(address, beginning: known.handler.effect(state, action, address))
        default: return known.handler.effect(state, action, address)
        }
    }

    /// The name of the module that an action is for.
    package func module(of action: any Action) -> String? {
        known[ObjectIdentifier(type(of: Self.addressed(action).0))].map { names[$0.module] }
    }

    private static func addressed(_ action: any Action) -> (any Action, instance: String?) {
        // The types are compared first: that is much cheaper than a cast that fails, for each action.
        guard type(of: action) == AddressedAction.self, let addressed = action as? AddressedAction
        else { return (action, nil) }
        return (addressed.action, addressed.instance)
    }
}

/// Why modules can't make a store together.
public enum ModuleError: Error, Equatable, CustomStringConvertible {
    /// Two modules have one name.
    case nameTwice(String)
    /// One type of action has two places to go to.
    case actionTwice(String, String)
    /// A dispatchable is for the state of another module, or is neither updater nor side effect.
    case foreignDispatchable(String, String)
    /// A module reads one that the root state does not have, or itself.
    case foreignOwner(String, reader: String)
    /// A module has effects that outlive the server, and the state has no ``PendingEffects``.
    case noLedger(String)
    /// A presenter presents a view, and the state has no ``Sessions``.
    case noSessions(String)
    /// The root state has members that are no module's slice, or lacks one.
    case foreignMember(found: [String], modules: [String])

    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .nameTwice(let name):
            "two modules are named '\(name)'; give one of them another `static var name`"
        case .actionTwice(let type, let module):
            "the action type \(type) of module '\(module)' is handled by two modules; "
                + "each has to have its own"
        case .foreignDispatchable(let type, let module):
            "\(type) is listed by module '\(module)' but is for another state; a dispatchable is a "
                + "StateUpdater or a SideEffect of the module's own state"
        case .foreignOwner(let owner, let reader):
            "module '\(reader)' reads '\(owner)', which is no other module of this state; "
                + "mount that one, too"
        case .noLedger(let module):
            "module '\(module)' keeps its effects, but the state has nowhere to enter them; add "
                + "`var effects = PendingEffects.State()` and `PendingEffects().at(\\.effects)`"
        case .noSessions(let module):
            "a presenter of module '\(module)' presents a view, but the state has no sessions to "
                + "present it to; add `var sessions = Sessions.State()` and "
                + "`Sessions().at(\\.sessions)`"
        case .foreignMember(let found, let modules):
            "the root state is written with the members \(found), but its modules are \(modules); "
                + "it has to have its modules' slices and nothing else"
        }
    }
}
