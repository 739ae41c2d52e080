/// A module that is mounted in a root state, for callers that do not have the types of the module.
package protocol BoundModule<Root>: AnyObject, Sendable {
    associatedtype Root: RootState

    var module: any Module { get }
    var handlers: [ActionHandler<Root>] { get }
    var useCases: [MountedUseCaseMethod<Root>] { get }
    /// True if some effects of the module have a ``RestartPolicy`` other than `lost`.
    var hasDurableEffects: Bool { get }
    /// The dispatchables in the module's list whose state is not the module's slice. A store starts
    /// only if no module has such a dispatchable.
    var foreignDispatchables: [any Dispatchable.Type] { get }
    /// The type of the value that the module shares; `nil` if the module shares no value.
    var sharedType: (any Any.Type)? { get }

    /// Returns the presentation that this module supplies for all modules; `nil` if the module
    /// supplies none.
    func presentation(
        of modules: Root.Modules,
        _ dependencies: Dependencies
    ) -> (any RootPresentation<Root>)?
    /// Makes an effect again from its kept work in the ledger.
    ///
    /// - Throws: an error if this program cannot decode the kept work, or no longer has code for
    ///   this work.
    func effect(
        restoring work: KeptWork,
        at address: SliceAddress,
        _ codec: any WorkCodec
    ) throws -> AnyEffect?
    /// Allows the reducers of the module to set timers. Call this function only if the root state
    /// has a schedule.
    func allowTimers()
    /// The timers that the module declares.
    var declaredTimers: [TimerRequest] { get }
    /// Returns the action of a timer, from its JSON. `kind` is `action` or `internal`.
    ///
    /// - Throws: an error if this program cannot decode the action.
    func timerAction(_ json: String, _ kind: String, _ codec: any WorkCodec) throws -> any Action
    /// Returns the shared value of this module, for another module's slice under `key`. If the
    /// slices of this module have owners, the value comes from the slice of the key's owner.
    /// Returns `nil` if the slice of this module is absent.
    func sharedValue(_ root: Root, with key: SliceKey) -> (any Sendable)?
    /// Joins the slices of a visitor with the slices of a user, when the visitor signs in as this
    /// user. Does nothing unless the module is an ``AdoptingModule``. Returns true if a slice of
    /// the user changed.
    ///
    /// - Throws: the error of the module.
    func adoptSlices(of visitor: String, for user: String, _ root: inout Root) throws -> Bool
    /// Throws a ``Refusal`` if the slice of this key does not exist.
    func requireSlice(_ root: Root, _ key: SliceKey) throws(Refusal)
    /// Calls `seen` on the thread that does the Core's work, for each slice that begins or ends.
    /// The first calls are for the slices that already exist.
    func watchSlices(
        _ changes: SliceObservers<Root>,
        _ core: Core<Root>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    )
}

/// A mounted module with its types.
final class MountedModule<M: Module, Place: SlicePlace>: BoundModule where Place.State == M.State {
    typealias Root = Place.Root

    private let typedModule: M
    private let place: Place
    private let timerAdmission: TimerAdmission
    private let lifecycleHandlers: [ActionHandler<Root>]
    /// The name of the module, stored because Swift builds the name of a type at each use.
    private let name = M.Interface.name

    init(_ module: M, at place: Place, lifecycle: [ActionHandler<Root>]) {
        typedModule = module
        self.place = place
        self.lifecycleHandlers = lifecycle
        timerAdmission = TimerAdmission(name)
    }

    var module: any Module { typedModule }

    var handlers: [ActionHandler<Root>] {
        var all = lifecycleHandlers
        if let contextual = typedModule as? any ContextualModule<M.State> {
            all += handlers(of: contextual)
        } else if let effectful = typedModule as? any EffectfulModule<M.State> {
            all += handlers(of: effectful)
        } else {
            all += effectlessHandlers
        }
        for type in M.dispatchables {
            if let handler = handler(of: type) { all.append(handler) }
        }
        return all
    }

    var useCases: [MountedUseCaseMethod<Root>] {
        typedModule.useCases.map { method in
            MountedUseCaseMethod(path: method.path, inputType: method.inputType) {
                [place] input, address in
                AnyEffect(try method.makeEffect(input), at: address, in: place)
            }
        }
    }

    var hasDurableEffects: Bool {
        typedModule is any KeepingModule
            || M.dispatchables.contains { $0.handling.maker.onRestart != .lost }
    }

    var foreignDispatchables: [any Dispatchable.Type] {
        M.dispatchables.filter { handler(of: $0) == nil }
    }

    var sharedType: (any Any.Type)? {
        func type<S: SharingModule>(sharedBy module: S) -> any Any.Type { S.SharedValue.self }
        guard let sharing = typedModule as? any SharingModule<M.State> else { return nil }
        return type(sharedBy: sharing)
    }

    func allowTimers() { timerAdmission.allow() }

    var declaredTimers: [TimerRequest] {
        func requests<S: ScheduledModule>(of module: S) -> [TimerRequest] {
            module.timers.map(\.request)
        }
        guard let scheduled = typedModule as? any ScheduledModule<M.State> else { return [] }
        return requests(of: scheduled)
    }

    func presentation(
        of modules: Root.Modules,
        _ dependencies: Dependencies
    ) -> (any RootPresentation<Root>)? {
        guard let module = typedModule as? any PresentingModule<M.State>,
            let place = place as? SinglePlace<Root, M.State>
        else { return nil }
        return module.presentation(of: modules, at: place, dependencies)
    }

    func effect(
        restoring work: KeptWork,
        at address: SliceAddress,
        _ codec: any WorkCodec
    ) throws -> AnyEffect? {
        let effect: Effect<M.State> = try work.effect { work in
            guard let type = work.type else {
                guard let keeping = typedModule as? any KeepingModule<M.State> else {
                    throw UnknownWork(description: "the module keeps no work any more")
                }
                return try keeping.effect(restoring: work, codec)
            }
            guard let dispatchable = M.dispatchables.first(where: { "\($0)" == type }),
                let effect: Effect<M.State> =
                    try dispatchable.handling.maker.effect(restoring: work, codec)
            else {
                throw UnknownWork(description: "the module has no side effect \(type) any more")
            }
            return effect
        }
        return AnyEffect(effect, at: address, in: place)
    }

    func timerAction(_ json: String, _ kind: String, _ codec: any WorkCodec) throws -> any Action {
        kind == "internal"
            ? try codec.value(M.Internal.self, of: json) : try codec.value(M.Action.self, of: json)
    }

    func sharedValue(_ root: Root, with key: SliceKey) -> (any Sendable)? {
        let own = place.isOwned ? SliceKey(owner: key.owner) : .only
        guard let sharing = typedModule as? any SharingModule<M.State>,
            let state = place.read(root, own)
        else { return nil }
        return sharing.share(state)
    }

    func adoptSlices(of visitor: String, for user: String, _ root: inout Root) throws -> Bool {
        guard place.ownership == .principal,
            let adopting = typedModule as? any AdoptingModule<M.State>
        else { return false }
        let keys = place.keys(root, of: visitor)
        guard keys.isEmpty || place.hasRoom(root, for: user) else {
            throw Refusal.ofTooManyUsers(of: name)
        }
        var isChanged = false
        for key in keys {
            guard let theirs = place.read(root, key) else { continue }
            let own = SliceKey(owner: user, instance: key.instance)
            guard let old = place.read(root, own) else {
                place.write(theirs, &root, own)
                isChanged = true
                continue
            }
            var new = old
            try adopting.adopt(theirs, into: &new)
            guard !isIdentical(old, new) else { continue }
            place.write(new, &root, own)
            isChanged = true
        }
        return isChanged
    }

    func requireSlice(_ root: Root, _ key: SliceKey) throws(Refusal) {
        _ = try place.requiredSlice(root, key, name)
    }

    func watchSlices(
        _ changes: SliceObservers<Root>,
        _ core: Core<Root>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {
        _ = changes.observe(name, nil, place, core, ignoresAudience: true) { change in
            guard (change.old == nil) != (change.new == nil) else { return }
            seen(change.key, change.new != nil)
        }
    }
}

extension MountedModule {
    /// The handlers of the module's action enums, for a module without effects.
    private var effectlessHandlers: [ActionHandler<Root>] {
        let module = typedModule
        return ActionHandler.forEnums(
            of: M.self,
            place.reducer(name) { try module.reduce(&$0, $1 as M.Interface.Action) },
            ui: place.reducer(name) { try module.reduce(&$0, ui: $1 as M.UI) },
            internal: place.reducer(name) { try module.reduce(&$0, internal: $1 as M.Internal) }
        )
    }

    /// Returns the handlers of the module's action enums, for a module with effects.
    private func handlers<E: EffectfulModule>(of module: E) -> [ActionHandler<Root>]
    where E.State == M.State {
        ActionHandler.forEnums(
            of: E.self,
            place.reducer(
                name,
                withEffect: { [timerAdmission] in
                    try timerAdmission.admit(module.reduce(&$0, $1 as E.Interface.Action))
                }
            ),
            ui: place.reducer(
                name,
                withEffect: { [timerAdmission] in
                    try timerAdmission.admit(module.reduce(&$0, ui: $1 as E.UI))
                }
            ),
            internal: place.reducer(
                name,
                withEffect: { [timerAdmission] in
                    try timerAdmission.admit(module.reduce(&$0, internal: $1 as E.Internal))
                }
            )
        )
    }

    /// Returns the handlers of the module's action enums, whose reducers get a context.
    private func handlers<C: ContextualModule>(of module: C) -> [ActionHandler<Root>]
    where C.State == M.State {
        let reducers = ContextualReducers(module: module, timerAdmission: timerAdmission)
        if let effectless = reducers as? any EffectlessReducers<M.State> {
            return effectless.effectlessHandlers(name, at: place)
        }
        // `ContextualModule.effect(in:)` admits no third type of results.
        guard let effectful = reducers as? any EffectReducers<M.State> else { return [] }
        return effectful.effectHandlers(name, at: place)
    }

    /// Makes the handler of a dispatchable; `nil` if the dispatchable is for another slice. A
    /// dispatchable for another slice prevents the start of a store.
    private func handler(of type: any Dispatchable.Type) -> ActionHandler<Root>? {
        type.handling.maker.reducer(of: name, at: place).map {
            ActionHandler(type, .dispatchable, payloadType: type, reduce: $0)
        }
    }
}
