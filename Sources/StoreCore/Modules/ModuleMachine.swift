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
    /// Whose the slices of each module are.
    private let ownership: [SliceOwnership]
    /// Which modules' actions are their session's alone.
    private let isOfSession: [Bool]
    /// Whether sessions have slices, or parts of one. Then what is asked of a module besides
    /// actions is its session's alone.
    package let hasSessions: Bool
    /// Which modules have a slice with a part for each session.
    private let isInParts: [Bool]
    /// The modules that have slices of sessions.
    let sessionModules: [Int]
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
                    isForSessions: handler.type is any SessionAction.Type
                )
                guard routes.updateValue(route, forKey: ObjectIdentifier(handler.type)) == nil
                else { throw ModuleError.actionTwice("\(handler.type)", mount.name) }
            }
        }
        self.routes = ActionRouteTable(routes)
        self.handlers = handlers
        self.modules = modules
        requests = modules.indices.map {
            ActionRoute(module: $0, handler: nil, isForSessions: false)
        }
        names = modules.map(\.name)
        ownership = modules.map(\.slice.ownership)
        isOfSession = ownership.map { $0 != .everybody }
        isInParts = ownership.map { $0 == .partForSession }
        hasSessions = isOfSession.contains(true)
        sessionModules = ownership.indices.filter { [ownership] in ownership[$0] == .session }
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
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change {
        let (action, key) = addressed(action, route.module, session)
        try admitSession(key, in: state)
        if route.isForSessions { try admitSessions(named: action, in: state) }
        if handler(of: route)?.kind == .ui {
            try changes?.presentation?.admit(route.module, key, from: session, in: state)
        }
        return try apply(&state, action, by: route, key: key, version: version, &effect)
    }

    package func replay(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change {
        let (action, key) = addressed(action, route.module, session)
        return try apply(&state, action, by: route, key: key, version: version, &effect)
    }

    /// Applies what need not be judged any more.
    @inline(__always)
    private func apply(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        key: SliceKey,
        version: UInt64,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        guard let handler = handler(of: route) else {
            return try request(action, route.module, key, state, &effect)
        }
        return try reduce(
            &state,
            action,
            by: handler,
            route,
            key: key,
            version: version,
            &effect
        )
    }

    /// What a client asks for besides actions, of a slice that has to be there.
    private func request(
        _ action: any Action,
        _ module: Int,
        _ key: SliceKey,
        _ state: Root,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        try modules[module].slice.check(state, key)
        effect = (action as? ClientRequest)?.effect
        return Change(isChange: false, isOfSession: hasSessions)
    }

    /// Reduces an action that may be applied.
    @inline(__always)
    private func reduce(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        _ route: ActionRoute,
        key: SliceKey,
        version: UInt64,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        let module = route.module
        var change =
            if handler.kind == .start, seesOthers[module] {
                try start(&state, action, by: handler, of: module, key: key)
            } else {
                try reduce(&state, action, by: handler, of: module, key: key, &effect)
            }
        if handler.kind == .start || handler.kind == .stop {
            effect = lifecycleEffect(after: action, by: handler, of: module, key, state)
        }
        if route.isForSessions { endSession(by: action, &state, &change) }
        if keepsEffects[module], let ledger, let effect {
            enter(effect, version: version, in: ledger, &state, &change)
        }
        return change
    }

    /// What follows a start or a stop: whatever works for the slice ends, and then a start's own
    /// effect begins.
    private func lifecycleEffect(
        after action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        _ key: SliceKey,
        _ state: Root
    ) -> PendingEffect {
        let address = SliceAddress(module: names[module], key)
        return .cancellingAll(of: address, then: handler.effectAfterStart?(state, action, address))
    }

    /// Starts a module that sees something of others. That is filled in only behind the reducer:
    /// until then a slice that was there already looks changed.
    private func start(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        key: SliceKey
    ) throws -> Change {
        let before = state
        var effect: PendingEffect?
        let change = try reduce(&state, action, by: handler, of: module, key: key, &effect)
        guard change.isChange, isSame(module, before, state) else { return change }
        return Change(
            isChange: false,
            restarted: change.restarted,
            isOfSession: change.isOfSession
        )
    }

    private func reduce(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        key: SliceKey,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        if isInParts[module] {
            return try reduceParts(&state, action, by: handler, of: module, key: key, &effect)
        }
        let result = try handler.reduce(&state, action, key, comparison)
        // Most actions have none; to put that in its place would cost a release.
        if let asked = result.effect { effect = asked }
        var change = Change(isChange: result.isChange, isOfSession: isOfSession[module])
        if result.isRestart, key.isOnly || key.instance == nil { change.restarted = module }
        if result.isChange {
            change.touch(Touch(module, key))
            if hasLinks[module] { updateCopies(links[module], of: module, key, &state, &change) }
        } else if comparison == nil, hasLinks[module] {
            // Equal texts may have other bytes, which nothing here compares: readers get them as
            // they are.
            updateCopies(links[module], of: module, key, &state, &change)
        }
        return change
    }

    /// Reduces an action for the slice that has a part for each session.
    private func reduceParts(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        key: SliceKey,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        let before = state
        let result = try handler.reduce(&state, action, key, comparison)
        if let asked = result.effect { effect = asked }
        var change = Change(isChange: result.isChange, isOfSession: isOfSession[module])
        if result.isChange {
            touch(&change, module, before, state)
            if hasLinks[module] { updateCopies(links[module], of: module, key, &state, &change) }
        }
        return change
    }

    /// A reducer of its own, for replays.
    package var replaying: @Sendable (inout Root, any Action, UInt64, String?) throws -> Void {
        { [self] state, action, version, session in
            guard let route = route(of: action) else { return }
            var dropped: PendingEffect?
            let type = Swift.type(of: action)
            if type != AddressedAction.self, type != ClientRequest.self,
                ownership[route.module] != .session
            {
                _ = try apply(
                    &state,
                    action,
                    by: route,
                    key: .only,
                    version: version,
                    &dropped
                )
                return
            }
            _ = try replay(
                &state,
                action,
                by: route,
                version: version,
                from: session,
                effect: &dropped
            )
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

    package func isWatched(_ route: ActionRoute) -> Bool {
        guard let changes else { return false }
        for module in reach[route.module] where changes.isWatched(module) { return true }
        // The end of a session changes all slices that it has.
        return route.isForSessions && sessionModules.contains(where: changes.isWatched)
    }

    package func show(_ change: Change, from old: Root, to new: Root, _ cause: SliceCause) {
        changes?.show(change, from: old, to: new, cause)
    }

    /// The name of the module that an action is for.
    package func module(of action: any Action) -> String? {
        route(of: action).map { names[$0.module] }
    }

    package func inside(of action: any Action) -> String? {
        guard let route = route(of: action), let handler = handler(of: route),
            handler.kind == .ui || handler.kind == .internal
        else { return nil }
        return names[route.module]
    }

    /// The action itself, and the slice that it is for: where sessions have slices of their own,
    /// that of the session which it comes from.
    @inline(__always)
    private func addressed(
        _ action: any Action,
        _ module: Int,
        _ session: String?
    ) -> (any Action, SliceKey) {
        let owner = ownership[module] == .session ? session ?? SessionName.shared : nil
        // The types are compared first: that is much cheaper than a cast that fails, for each
        // action.
        let type = type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return (addressed.action, SliceKey(session: owner, instance: addressed.instance))
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            return (request, SliceKey(session: owner, instance: request.address?.instance))
        }
        return (action, owner == nil ? .only : SliceKey(session: owner))
    }
}

extension StateMachine {
    /// Reduces an action; one that belongs to nothing changes nothing.
    @discardableResult
    package func reduce(
        _ state: inout State,
        _ action: any Action,
        version: UInt64,
        from session: String? = nil
    ) throws -> Change {
        guard let route = route(of: action) else { return .none }
        var dropped: PendingEffect?
        return try reduce(
            &state,
            action,
            by: route,
            version: version,
            from: session,
            effect: &dropped
        )
    }

    /// The effect of an action of the past, made again: the action is reduced on a copy of a state,
    /// which is dropped. `nil` where the reducer refuses the action there, or asks for nothing.
    package func effect(
        of action: any Action,
        appliedTo state: State,
        from session: String?
    ) -> PendingEffect? {
        guard let route = route(of: action) else { return nil }
        var copy = state
        var effect: PendingEffect?
        _ = try? replay(&copy, action, by: route, version: 0, from: session, effect: &effect)
        return effect
    }
}
