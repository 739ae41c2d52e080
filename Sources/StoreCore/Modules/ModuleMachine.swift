/// The reducer of a store that is made of modules.
///
/// The machine finds the slice of an action by the type of the action, so the cost does not depend
/// on the number of modules. The machine stores no results. The machine returns a ``Change``, which
/// lists the slices that the action has written.
package final class ModuleMachine<Root: RootState>: ModularReducer {
    let routes: ActionRouteTable
    /// The handlers. The machine keeps the handlers alive, because the routes have unowned pointers
    /// to them.
    let handlers: [ActionHandler<Root>]
    /// For each module, the route of its use cases.
    let useCaseRoutes: [ActionRoute]
    /// The route of actions without a module, for the reducer of the root state; `nil` if the root
    /// state has no reducer.
    let routeWithoutModule: ActionRoute?
    /// For each module, true if ``sharedLinksByModule`` has links for the module.
    let hasSharedLinks: [Bool]
    /// For each module, true if it has effects that outlive the server, and a ledger is mounted.
    let hasDurableEffects: [Bool]
    /// For each module, true if its actions may change the ledger of effects, the ledger of views
    /// or the schedule. Also true for a ``RestrictedModule``, because a change of its slice records
    /// the slice's readers.
    let mayChangeLedgers: [Bool]
    let moduleNames: [String]
    /// The owner of the slices of each module. Two more elements are for actions without a module:
    /// the root state's actions, and all other actions.
    let ownershipByModule: [SliceOwnership]
    /// For each module, true if only the sender of an action gets the change of the action.
    let isVisibleToSenderOnly: [Bool]
    /// True if sessions or users have slices, or parts of slices. In this case, a call of a use
    /// case is visible to its sender alone.
    package let hasOwnedSlices: Bool
    /// True if users have slices.
    let hasUserSlices: Bool
    /// For each module, true if it is a ``RestrictedModule``.
    let isRestricted: [Bool]
    /// For each module, true if its one slice has a part for each session.
    let isKeyedBySession: [Bool]
    /// The indices of the modules whose slices belong to sessions or users.
    let modulesWithOwnedSlices: [Int]
    let modules: Root.Modules
    /// The state before any action, without the copies of shared values.
    let initialState: Root
    /// The reducer of the root state, called after the reducer of each action's module.
    let rootReducer: CombinedRootReducer?
    /// The indices of the modules whose slices only the store itself changes.
    let storeManagedModules: [Int]
    /// For each module, the links whose copies an action on the module may change.
    let sharedLinksByModule: [[ResolvedSharedLink]]
    /// For each module, the indices of the modules whose slices its actions may change.
    let affectedModules: [[Int]]
    /// The ledger of effects, if the root state has one.
    let effectLedger: EffectLedger<Root>?
    /// The ledger of views, if the root state has one.
    let presenceLedger: PresenceLedger<Root>?
    /// The schedule of timers, if the root state has one.
    let scheduleLedger: ScheduleLedger<Root>?
    /// A function that returns true if a session has begun and not ended; `nil` if the root state
    /// has no sessions.
    let isSessionOpen: (@Sendable (String, Root) -> Bool)?
    /// The observers of slices; `nil` if there are none, as in a replay.
    let sliceObservers: SliceObservers<Root>?
    /// For each module, true if it reads shared values of other modules.
    let readsSharedValues: [Bool]
    /// The function that compares the bytes of values that `==` calls equal.
    let comparison: ByteComparison?
    /// The codec of the effects that outlive the server. Without a codec, the entries of these
    /// effects in the ledger have no input, and no effect runs again.
    let workCodec: (any WorkCodec)?

    /// - Parameters:
    ///   - modules: the modules of the root state, or one module alone in a test.
    ///   - sliceObservers: gets the changed slices, for their observers.
    ///   - comparison: decides if slices that are equal by `==` have the same bytes. Without a
    ///     comparison, equal slices count as unchanged.
    ///   - workCodec: encodes the effects that outlive the server.
    /// - Throws: ``ModuleError`` if the modules do not fit together.
    package init(
        of modules: Root.Modules = Root.modules,
        sliceObservers: SliceObservers<Root>? = nil,
        comparison: ByteComparison? = nil,
        workCodec: (any WorkCodec)? = nil
    ) throws(ModuleError) {
        self.workCodec = workCodec
        self.sliceObservers = sliceObservers
        self.comparison = comparison
        var routes: [ObjectIdentifier: ActionRoute] = [:]
        var handlers: [ActionHandler<Root>] = []
        var taken: Set<ExactText> = []
        let reducer = Self.makeRootReducer()
        self.rootReducer = reducer
        for handler in try Self.wholeStateHandlers() {
            handlers.append(handler)
            let route = ActionRoute(of: handler, at: modules.count, mayChangeAllSlices: true)
            guard routes.updateValue(route, forKey: ObjectIdentifier(handler.type)) == nil
            else { throw ModuleError.rootActionTwice("\(handler.type)") }
        }
        for (index, mount) in modules.enumerated() {
            guard taken.insert(ExactText(mount.name)).inserted else {
                throw ModuleError.nameTwice(mount.name)
            }
            guard
                ![ClientRequest.useCasePrefix, ClientRequest.notificationPrefix].contains(
                    mount.name
                )
            else {
                throw ModuleError.nameReserved(mount.name)
            }
            if let foreign = mount.boundModule?.foreignDispatchables.first {
                throw ModuleError.foreignDispatchable("\(foreign)", module: mount.name)
            }
            if mount.slicePlace.ownership == .principal,
                mount.visibilityAction(on: .visible) != nil
                    || mount.visibilityAction(on: .hidden) != nil
            {
                throw ModuleError.reportsViewsOfUsers(mount.name)
            }
            if mount.module is any RestrictedModule, mount.slicePlace.ownership != .readers {
                throw ModuleError.cannotBeRestricted(mount.name)
            }
            for handler in mount.handlers {
                handlers.append(handler)
                let route = ActionRoute(of: handler, at: index, mayChangeAllSlices: reducer != nil)
                guard routes.updateValue(route, forKey: ObjectIdentifier(handler.type)) == nil
                else { throw ModuleError.actionTwice("\(handler.type)", module: mount.name) }
            }
        }
        // The handler of actions without a module changes nothing.
        let other = ActionHandler<Root>(SkippedAction.self, .dispatchable, payloadType: nil) {
            _,
            _,
            _,
            _,
            _ in
            .unchanged
        }
        handlers.append(other)
        routeWithoutModule =
            reducer == nil
            ? nil : ActionRoute(of: other, at: modules.count + 1, mayChangeAllSlices: true)
        self.routes = ActionRouteTable(routes)
        self.handlers = handlers
        self.modules = modules
        useCaseRoutes = modules.indices.map {
            ActionRoute(moduleIndex: $0, handler: nil, isSessionAction: false)
        }
        moduleNames = modules.map(\.name)
        ownershipByModule = modules.map(\.slicePlace.ownership) + [.everybody, .everybody]
        let owned = ownershipByModule.map { $0 != .everybody }
        isKeyedBySession = ownershipByModule.map { $0 == .keyedBySession }
        isRestricted = ownershipByModule.map { $0 == .readers }
        hasOwnedSlices = owned.contains(true)
        hasUserSlices = ownershipByModule.contains(.principal)
        // If slices have owners, an action without a module is visible to its sender alone.
        isVisibleToSenderOnly = owned.dropLast() + [hasOwnedSlices]
        modulesWithOwnedSlices = ownershipByModule.indices.filter { [ownershipByModule] in
            ownershipByModule[$0].isOwned
        }
        initialState = Root()
        try RootMembers.check(initialState, modules)
        sharedLinksByModule = try Self.makeSharedLinks(of: modules)
        readsSharedValues = modules.map { !$0.sharedLinks.isEmpty }
        effectLedger = try EffectLedger(of: modules)
        hasSharedLinks = sharedLinksByModule.map { $0.count > 0 }
        presenceLedger = PresenceLedger(of: modules)
        let scheduleLedger = ScheduleLedger<Root>(of: modules)
        self.scheduleLedger = scheduleLedger
        try Self.checkDeclaredTimers(of: modules, scheduleLedger)
        if scheduleLedger != nil { for mount in modules { mount.boundModule?.allowTimers() } }
        isSessionOpen =
            modules.lazy.compactMap { mount in
                (mount.slicePlace.wireType as? any SessionRegister.Type)?.makeOpenCheck(in: mount)
            }
            .first
        let ledgers = [
            effectLedger?.moduleIndex, presenceLedger?.moduleIndex, scheduleLedger?.moduleIndex,
        ].compactMap { $0 }
        storeManagedModules = isKeyedBySession.indices.filter { [isKeyedBySession, effectLedger] in
            isKeyedBySession[$0] || $0 == effectLedger?.moduleIndex
                || $0 == scheduleLedger?.moduleIndex
        }
        let hasDurableEffects = modules.map { [effectLedger] in
            effectLedger != nil && $0.hasDurableEffects
        }
        self.hasDurableEffects = hasDurableEffects
        mayChangeLedgers = modules.indices.map { [presenceLedger, isRestricted] in
            isRestricted[$0] || hasDurableEffects[$0]
                || presenceLedger?.visibilityReadersByModule[$0] != nil
                || scheduleLedger != nil
        }
        let all = Array(modules.indices)
        let own = modules.indices.map { [sharedLinksByModule] module in
            let readers = sharedLinksByModule[module].map(\.readerIndex)
            return [module] + readers + ledgers
        }
        affectedModules = (reducer == nil ? own : own.map { _ in all }) + [all, all]
    }
}

extension ActionRoute {
    /// Makes the route to a handler, which the machine keeps alive.
    fileprivate convenience init<Root>(
        of handler: ActionHandler<Root>,
        at module: Int,
        mayChangeAllSlices: Bool
    ) {
        self.init(
            moduleIndex: module,
            handler: Unmanaged.passUnretained(handler).toOpaque(),
            isSessionAction: handler.type is any SessionAction.Type,
            mayChangeAllSlices: mayChangeAllSlices
        )
    }
}

// The report of changes to the observers of slices.

extension ModuleMachine {
    package func hasObservers(_ route: ActionRoute) -> Bool {
        guard let sliceObservers else { return false }
        for module in affectedModules[route.moduleIndex] where sliceObservers.hasObservers(module) {
            return true
        }
        // The end of a session removes all of its slices.
        return route.isSessionAction
            && modulesWithOwnedSlices.contains(where: sliceObservers.hasObservers)
    }

    package func notifyObservers(
        of change: Change,
        from old: Root,
        to new: Root,
        _ cause: SliceChangeOrigin
    ) {
        sliceObservers?.report(change, from: old, to: new, cause)
    }
}
