/// The reducer that the modules of a root state make together.
///
/// Finds by an action's type which slice it is for, so that an action costs the same however many
/// modules there are. It notes nothing: whatever an action leads to is in the ``Change`` that it
/// returns.
package final class ModuleMachine<Root: RootState>: StateMachine {
    /// A copy of what one module shares, in the slice of another. Both are places in ``modules``.
    struct Link: Sendable {
        let reader: Int
        let owner: Int
        /// Brings the copy up to date.
        let shared: SharedLink<Root>
    }

    private let routes: ActionRouteTable
    /// Keeps what the routes point to.
    private let handlers: [ActionHandler<Root>]
    /// For each module, the way of what clients ask of it besides actions.
    private let requests: [ActionRoute]
    /// Which modules have links, and which keep effects, where there is a ledger.
    private let hasLinks: [Bool]
    private let keepsEffects: [Bool]
    let names: [String]
    /// Which modules have instances.
    private let hasInstances: [Bool]
    let modules: Root.Modules
    /// For each module, the links that its changes may move: those to it, and those from it.
    let links: [[Link]]
    /// For each module, the places of those whose slices its actions may change.
    private let reach: [[Int]]
    /// The ledger of effects, where there is one.
    let ledger: (module: Int, place: SlicePlace<Root, PendingEffects.State>)?
    /// The observers of slices; `nil` where nothing is shown, as in a replay.
    let changes: SliceChanges<Root>?
    /// Which modules see something of others.
    private let seesOthers: [Bool]
    /// Compares what `==` calls equal.
    let comparison: ByteComparison?

    /// - Parameters:
    ///   - modules: those of the root state, unless a module is to be tried alone.
    ///   - comparison: decides whether slices that are equal by `==` have the same bytes; without
    ///     it they have.
    /// - Throws: ``ModuleError`` where the modules don't fit together.
    package convenience init(
        of modules: Root.Modules = Root.modules,
        comparison: ByteComparison? = nil
    ) throws(ModuleError) {
        try self.init(of: modules, changes: nil, comparison: comparison)
    }

    /// Makes a machine that notes which slices change, for those who observe them.
    ///
    /// - Throws: ``ModuleError`` where the modules don't fit together.
    init(
        of modules: Root.Modules,
        changes: SliceChanges<Root>?,
        comparison: ByteComparison?
    ) throws(ModuleError) {
        self.changes = changes
        self.comparison = comparison
        var routes: [ObjectIdentifier: ActionRoute] = [:]
        var handlers: [ActionHandler<Root>] = []
        var taken: Set<ExactText> = []
        for (index, mount) in modules.enumerated() {
            guard taken.insert(ExactText(mount.name)).inserted else {
                throw ModuleError.nameTwice(mount.name)
            }
            guard ![ClientRequest.useCases, ClientRequest.notifications].contains(mount.name) else {
                throw ModuleError.nameReserved(mount.name)
            }
            if let foreign = mount.slice.foreignDispatchables.first {
                throw ModuleError.foreignDispatchable("\(foreign)", mount.name)
            }
            for handler in mount.slice.handlers {
                handlers.append(handler)
                let route = ActionRoute(
                    module: index,
                    handler: Unmanaged.passUnretained(handler).toOpaque(),
                    hasEffect: handler.hasEffect
                )
                guard routes.updateValue(route, forKey: ObjectIdentifier(handler.type)) == nil
                else { throw ModuleError.actionTwice("\(handler.type)", mount.name) }
            }
        }
        self.routes = ActionRouteTable(routes)
        self.handlers = handlers
        self.modules = modules
        requests = modules.indices.map { ActionRoute(module: $0, handler: nil, hasEffect: true) }
        names = modules.map(\.name)
        hasInstances = modules.map { $0.slice.form == .instances }
        try RootMembers.check(Root(), modules)
        links = try Self.links(of: modules)
        seesOthers = modules.map { !$0.sharedLinks.isEmpty }
        ledger = try Self.ledger(of: modules)
        hasLinks = links.map { $0.count > 0 }
        let hasLedger = ledger != nil
        keepsEffects = modules.map { hasLedger && $0.slice.keepsEffects }
        reach = modules.indices.map { [links, ledger] module in
            let readers = links[module].map(\.reader)
            return [module] + readers + (ledger.map { [$0.module] } ?? [])
        }
    }

    package func route(of action: any Action) -> ActionRoute? {
        let type = Swift.type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return route(of: addressed.action)
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            let address = request.address
            return address.flatMap { address in
                names.firstIndex(of: address.module).map { requests[$0] }
            }
        }
        return routes[ObjectIdentifier(type)]
    }

    /// The handler of a route, found without a look-up of its generic type.
    private func handler(of route: ActionRoute) -> ActionHandler<Root>? {
        guard let handler = route.handler else { return nil }
        // Safety: this machine made the route, and keeps the handler.
        return Unmanaged<ActionHandler<Root>>.fromOpaque(handler).takeUnretainedValue()
    }

    package func reduce(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from sessions: [String]
    ) throws -> Change {
        let (action, instance) = Self.addressed(action)
        guard let handler = handler(of: route) else {
            try modules[route.module].slice.check(state, instance)
            return .none
        }
        if handler.kind == .ui {
            try changes?.presentation?.admit(route.module, instance, from: sessions, in: state)
        }
        return try reduce(
            &state,
            action,
            by: handler,
            of: route.module,
            instance: instance,
            version: version,
            from: sessions
        )
    }

    package func replay(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64
    ) throws -> Change {
        let (action, instance) = Self.addressed(action)
        guard let handler = handler(of: route) else {
            try modules[route.module].slice.check(state, instance)
            return .none
        }
        return try reduce(
            &state,
            action,
            by: handler,
            of: route.module,
            instance: instance,
            version: version,
            from: []
        )
    }

    /// Reduces an action that may be applied.
    @inline(__always)
    private func reduce(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        instance: String?,
        version: UInt64,
        from sessions: [String]
    ) throws -> Change {
        var change =
            if handler.kind == .start, seesOthers[module] {
                try start(&state, action, by: handler, of: module, instance: instance)
            } else {
                try reduce(&state, action, by: handler, of: module, instance: instance)
            }
        if keepsEffects[module], let ledger {
            enter(
                action,
                by: handler,
                of: module,
                instance: instance,
                version: version,
                in: ledger,
                &state,
                &change
            )
        }
        return change
    }

    /// Starts a module that sees something of others. That is filled in only behind the reducer:
    /// until then a slice that was there already looks changed.
    private func start(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        instance: String?
    ) throws -> Change {
        let before = state
        let change = try reduce(&state, action, by: handler, of: module, instance: instance)
        guard change.isChange, isSame(module, before, state) else { return change }
        return Change(isChange: false, restarted: change.restarted)
    }

    private func reduce(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        instance: String?
    ) throws -> Change {
        let result = try handler.reduce(&state, action, instance, comparison)
        var change = Change(isChange: result.isChange)
        if result.isRestart, instance == nil { change.restarted = module }
        if result.isChange {
            change.touch(touch(module, instance))
            if hasLinks[module] { updateCopies(links[module], &state, &change) }
        } else if comparison == nil, hasLinks[module] {
            // Equal texts may have other bytes, which nothing here compares: readers get them as
            // they are.
            updateCopies(links[module], &state, &change)
        }
        return change
    }

    /// A reducer of its own, for replays.
    package var replaying: @Sendable (inout Root, any Action, UInt64) throws -> Void {
        { [self] state, action, version in
            let type = Swift.type(of: action)
            if type == AddressedAction.self || type == ClientRequest.self {
                guard let route = route(of: action) else { return }
                _ = try reduce(&state, action, by: route, version: version, from: [])
            } else if let route = routes[ObjectIdentifier(type)], let handler = handler(of: route) {
                _ = try reduce(
                    &state,
                    action,
                    by: handler,
                    of: route.module,
                    instance: nil,
                    version: version,
                    from: []
                )
            }
        }
    }

    /// Whether a module's slice has the same bytes in both.
    private func isSame(_ module: Int, _ a: Root, _ b: Root) -> Bool {
        let slice = modules[module].slice
        guard slice.isEqual(a, b), let old = slice.value(a), let new = slice.value(b) else {
            return false
        }
        return comparison?(old, new) ?? true
    }

    private func touch(_ module: Int, _ instance: String?) -> Touch {
        Touch(module, hasInstances[module] ? instance.map { ExactText($0) } : nil)
    }

    package func effect(
        after action: any Action,
        by route: ActionRoute,
        in state: Root
    ) -> PendingEffect? {
        let (action, instance) = Self.addressed(action)
        guard let handler = handler(of: route) else { return (action as? ClientRequest)?.effect }
        guard route.hasEffect else { return nil }
        let address = SliceAddress(module: names[route.module], instance: instance)
        switch handler.kind {
        case .start, .stop:
            return .cancellingAll(of: address, then: handler.effect(state, action, address))
        default: return handler.effect(state, action, address)
        }
    }

    package func isWatched(_ route: ActionRoute) -> Bool {
        guard let changes else { return false }
        for module in reach[route.module] where changes.isWatched(module) { return true }
        return false
    }

    package func show(_ change: Change, from old: Root, to new: Root, _ cause: SliceCause) {
        changes?.show(change, from: old, to: new, cause)
    }

    /// The name of the module that an action is for.
    package func module(of action: any Action) -> String? {
        route(of: action).map { names[$0.module] }
    }

    private static func addressed(_ action: any Action) -> (any Action, instance: String?) {
        // The types are compared first: that is much cheaper than a cast that fails, for each
        // action.
        let type = type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return (addressed.action, addressed.instance)
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            return (request, request.address?.instance)
        }
        return (action, nil)
    }
}

extension StateMachine {
    /// Reduces an action; one that belongs to nothing changes nothing.
    @discardableResult
    package func reduce(
        _ state: inout State,
        _ action: any Action,
        version: UInt64,
        from sessions: [String] = []
    ) throws -> Change {
        guard let route = route(of: action) else { return .none }
        return try reduce(&state, action, by: route, version: version, from: sessions)
    }

    /// The work that follows an action.
    package func effect(after action: any Action, in state: State) -> PendingEffect? {
        route(of: action).flatMap { effect(after: action, by: $0, in: state) }
    }
}
