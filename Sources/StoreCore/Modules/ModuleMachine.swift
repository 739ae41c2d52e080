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

    let routes: ActionRouteTable
    /// Keeps what the routes point to.
    let handlers: [ActionHandler<Root>]
    /// For each module, the way of what clients ask of it besides actions.
    let requests: [ActionRoute]
    /// The way of actions that no module has, where the root state's reducer sees them.
    let others: ActionRoute?
    /// The modules that have links, those that keep effects, and those with entries in a ledger:
    /// of effects, or of views.
    let hasLinks: [Bool]
    let keepsEffects: [Bool]
    let hasLedger: [Bool]
    let names: [String]
    /// Whose the slices of each module are, and behind them the two places of actions that are for
    /// no module: ``whole`` and ``none``.
    let ownership: [SliceOwnership]
    /// Which modules' actions are their session's alone.
    let isOfSession: [Bool]
    /// Whether sessions have slices, or parts of one. Then what is asked of a module besides
    /// actions is its session's alone.
    package let hasSessions: Bool
    /// Which modules have a slice with a part for each session.
    let isInParts: [Bool]
    /// The modules that have slices of sessions.
    let sessionModules: [Int]
    let modules: Root.Modules
    /// The state before any action, without what modules see of one another.
    let initial: Root
    /// What is called behind the reducer of each action's module.
    let reducer: RootReducer<Root>?
    /// The modules whose slices are kept by the store itself, so that nothing else changes them.
    let keptByStore: [Int]
    /// For each module, the links that its changes may move: those to it, and those from it.
    let links: [[Link]]
    /// For each module, the places of those whose slices its actions may change.
    let reach: [[Int]]
    /// The ledger of effects, where there is one.
    let ledger: (module: Int, place: SlicePlace<Root, PendingEffects.State>)?
    /// The ledger of views, if there is one.
    let presence: PresenceLedger<Root>?
    /// The observers of slices; `nil` where nothing is shown, as in a replay.
    let changes: SliceChanges<Root>?
    /// Which modules see something of others.
    let seesOthers: [Bool]
    /// Compares what `==` calls equal.
    let comparison: ByteComparison?
    /// Encodes the effects that outlive the server; without it the ledger keeps that there are
    /// some, and none is run again.
    let works: (any WorkCodec)?

    /// - Parameters:
    ///   - modules: those of the root state, unless a module is to be tried alone.
    ///   - comparison: decides whether slices that are equal by `==` have the same bytes; without
    ///     it they have.
    ///   - works: encodes the effects that outlive the server.
    /// - Throws: ``ModuleError`` where the modules don't fit together.
    package convenience init(
        of modules: Root.Modules = Root.modules,
        comparison: ByteComparison? = nil,
        works: (any WorkCodec)? = nil
    ) throws(ModuleError) {
        try self.init(of: modules, changes: nil, comparison: comparison, works: works)
    }

    /// Makes a machine that notes which slices change, for those who observe them.
    ///
    /// - Throws: ``ModuleError`` where the modules don't fit together.
    init(
        of modules: Root.Modules,
        changes: SliceChanges<Root>?,
        comparison: ByteComparison?,
        works: (any WorkCodec)?
    ) throws(ModuleError) {
        self.works = works
        self.changes = changes
        self.comparison = comparison
        var routes: [ObjectIdentifier: ActionRoute] = [:]
        var handlers: [ActionHandler<Root>] = []
        var taken: Set<ExactText> = []
        let reducer = Root.reducer
        self.reducer = reducer
        for handler in try Self.wholeHandlers() {
            handlers.append(handler)
            let route = ActionRoute(of: handler, at: modules.count, isWhole: true)
            guard routes.updateValue(route, forKey: ObjectIdentifier(handler.type)) == nil
            else { throw ModuleError.rootActionTwice("\(handler.type)") }
        }
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
                let route = ActionRoute(of: handler, at: index, isWhole: reducer != nil)
                guard routes.updateValue(route, forKey: ObjectIdentifier(handler.type)) == nil
                else { throw ModuleError.actionTwice("\(handler.type)", mount.name) }
            }
        }
        let other = ActionHandler<Root>.doingNothing
        handlers.append(other)
        others =
            reducer == nil ? nil : ActionRoute(of: other, at: modules.count + 1, isWhole: true)
        self.routes = ActionRouteTable(routes)
        self.handlers = handlers
        self.modules = modules
        requests = modules.indices.map {
            ActionRoute(module: $0, handler: nil, isForSessions: false)
        }
        names = modules.map(\.name)
        ownership = modules.map(\.slice.ownership) + [.everybody, .everybody]
        let owned = ownership.map { $0 != .everybody }
        isInParts = ownership.map { $0 == .partForSession }
        hasSessions = owned.contains(true)
        // An action of no module is its session's alone.
        isOfSession = owned.dropLast() + [hasSessions]
        sessionModules = ownership.indices.filter { [ownership] in ownership[$0] == .session }
        initial = Root()
        try RootMembers.check(initial, modules)
        links = try Self.links(of: modules)
        seesOthers = modules.map { !$0.sharedLinks.isEmpty }
        ledger = try Self.ledger(of: modules)
        hasLinks = links.map { $0.count > 0 }
        presence = PresenceLedger(of: modules)
        let ledgers = [ledger?.module, presence?.module].compactMap { $0 }
        keptByStore = isInParts.indices.filter { [isInParts, ledger] in
            isInParts[$0] || $0 == ledger?.module
        }
        let keepsEffects = modules.map { [ledger] in ledger != nil && $0.slice.keepsEffects }
        self.keepsEffects = keepsEffects
        hasLedger = modules.indices.map { [presence] in
            keepsEffects[$0] || presence?.reports[$0] != nil
        }
        let all = Array(modules.indices)
        let own = modules.indices.map { [links] module in
            let readers = links[module].map(\.reader)
            return [module] + readers + ledgers
        }
        reach = (reducer == nil ? own : own.map { _ in all }) + [all, all]
    }
}

extension ActionRoute {
    /// The route to a handler, which its machine keeps.
    fileprivate convenience init<Root>(
        of handler: ActionHandler<Root>,
        at module: Int,
        isWhole: Bool
    ) {
        self.init(
            module: module,
            handler: Unmanaged.passUnretained(handler).toOpaque(),
            isForSessions: handler.type is any SessionAction.Type,
            isWhole: isWhole
        )
    }
}
