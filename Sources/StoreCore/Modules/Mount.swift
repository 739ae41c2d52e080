/// A module, and the member of the root state that holds the module's slice: an element of
/// ``RootState/modules``.
///
/// ```swift
/// static let modules: Modules = [Counter().at(\.counter), Card().at(\.cards)]
/// ```
///
/// The type of the member decides when the slice exists. A slice of the type `State` always exists.
/// A slice of the type `State?` exists from a start to a stop. ``Instances`` have a slice for each
/// started id. A ``PerSession`` of any of these types has separate slices for each session, a
/// ``PerPrincipal`` for each user.
public struct Mount<Root: RootState>: Sendable {
    /// The module's name.
    public let name: String
    /// The place of the slice in the root state, without the type of the slice.
    package let slicePlace: any AnySlicePlace<Root>
    /// The module, for callers without the module's types; `nil` for a field.
    package let boundModule: (any BoundModule<Root>)?
    /// The presenters that are called after a commit that changes the slice; ``presented(by:)``
    /// adds a presenter.
    var presenters: [BoundPresenter<Root>] = []
    /// The links to shared values of other modules; ``reading(_:of:)`` adds a link.
    var sharedLinks: [SharedLink<Root>] = []
    /// The action that starts the slice with the store, or with its session; `nil` if a client or
    /// the program starts the slice.
    package private(set) var automaticStart: (any Action)?
    private var startAccess: LifecycleAccess?
    private var stopAccess: LifecycleAccess?

    /// Mounts a member that is not the slice of a module.
    private init(field name: String, at place: any AnySlicePlace<Root>) {
        self.name = name
        slicePlace = place
        boundModule = nil
    }

    /// Mounts a module at its place; `lifecycle` has the handlers of the start and the stop.
    package init<M: Module>(
        _ module: M,
        at place: some SlicePlace<Root, M.State>,
        lifecycle: [ActionHandler<Root>] = []
    ) {
        name = M.Interface.name
        slicePlace = place
        boundModule = MountedModule(module, at: place, lifecycle: lifecycle)
    }
}

extension Mount {
    /// The module; `nil` for a field.
    package var module: (any Module)? { boundModule?.module }
    /// True for a field, which has no module.
    package var isField: Bool { boundModule == nil }
    package var handlers: [ActionHandler<Root>] { boundModule?.handlers ?? [] }
    package var useCases: [MountedUseCaseMethod<Root>] { boundModule?.useCases ?? [] }
    /// True if some effects of the module have a ``RestartPolicy`` other than `lost`.
    package var hasDurableEffects: Bool { boundModule?.hasDurableEffects == true }
    package var presenterNames: [String] { presenters.map(\.name) }
    package var presenterTypes: [any Presenter.Type] { presenters.map(\.type) }

    /// Returns the place of the module's slice; `nil` if the slice has another type, and for a
    /// field.
    package func place<State: ModuleState>(of state: State.Type) -> (any SlicePlace<Root, State>)? {
        isField ? nil : slicePlace as? any SlicePlace<Root, State>
    }

}

extension RootState {
    /// Returns the index of a module in `modules`, and the place of its slice. Returns `nil` unless
    /// the module has a single slice that is shared and always exists.
    static func singlePlace<M: Module>(
        of module: M.Type,
        in modules: Modules
    ) -> (module: Int, place: SinglePlace<Self, M.State>)? {
        for (index, mount) in modules.enumerated() where mount.name == M.name && !mount.isField {
            if let place = mount.slicePlace as? SinglePlace<Self, M.State> { return (index, place) }
        }
        return nil
    }
}

extension Mount {
    /// Makes a field: a member of the root state that is not the slice of a module.
    ///
    /// ```swift
    /// var title = "Shop"
    /// var theme = PerSession("light")
    ///
    /// static let modules: Modules = [
    ///     .field("title", \.title), .field("theme", \.theme), Cart().at(\.cart),
    /// ]
    /// ```
    ///
    /// A field is encoded, streamed and kept like a slice, and has no actions. Only
    /// ``RootState/dispatchables`` and ``RootState/reducer`` change a field. After a change of the
    /// field, the server remakes each view that may depend on the field.
    ///
    /// - Parameters:
    ///   - name: the name on the wire, which no module may have.
    ///   - path: the member of the root state.
    /// - Returns: an element for ``RootState/modules``.
    public static func field<Value: Codable & Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, Value> & Sendable
    ) -> Mount { Mount(field: name, at: SharedPlace<Root, SingleContainer<Value>>(path)) }

    /// Makes a field with a value for each session.
    public static func field<Value: Codable & Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, PerSession<Value>> & Sendable
    ) -> Mount { Mount(field: name, at: SessionPlace<Root, SingleContainer<Value>>(path)) }

    /// Makes a field with a value for each user.
    public static func field<Value: Codable & Equatable & Sendable>(
        _ name: String,
        _ path: any WritableKeyPath<Root, PerPrincipal<Value>> & Sendable
    ) -> Mount { Mount(field: name, at: PrincipalPlace<Root, SingleContainer<Value>>(path)) }
}

extension Mount {
    /// Returns the same module. `start` has the dispatchers that may start its slices, and `stop`
    /// has the dispatchers that may stop its slices.
    ///
    /// By default, only the program's effects, use cases, presenters and reactions start and stop
    /// the slices that all clients share. A session or a user may start and stop its own slices. A
    /// module whose slice always exists has no starts and no stops.
    public func lifecycle(start: LifecycleAccess, stop: LifecycleAccess) -> Mount {
        var mount = self
        (mount.startAccess, mount.stopAccess) = (start, stop)
        return mount
    }

    /// Returns the same module, with the dispatchers that may start and stop its slices; see
    /// ``lifecycle(start:stop:)``.
    public func lifecycle(_ access: LifecycleAccess) -> Mount {
        lifecycle(start: access, stop: access)
    }

    /// Returns the dispatchers that may send the action of this handler, a start or a stop.
    package func lifecycleAccess(to handler: ActionHandler<Root>) -> LifecycleAccess {
        let said = handler.kind == .stop ? stopAccess : startAccess
        return said ?? (slicePlace.isOwned ? .everybody : .program)
    }

    /// Returns the same module, with the action that starts its slice.
    func withAutomaticStart(_ start: any Action) -> Mount {
        var mount = self
        mount.automaticStart = start
        return mount
    }
}

extension Module {
    /// Mounts the module with a slice that always exists.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State> & Sendable
    ) -> Mount<Root> {
        Mount(self, at: SharedPlace<Root, SingleContainer<State>>(path))
    }

    /// Mounts the module with a slice for each session. The slice of every session always exists.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<State>> & Sendable
    ) -> Mount<Root> {
        Mount(self, at: SessionPlace<Root, SingleContainer<State>>(path))
    }

    /// Mounts the module with a slice for each user. The slice of every user always exists.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerPrincipal<State>> & Sendable
    ) -> Mount<Root> {
        Mount(self, at: PrincipalPlace<Root, SingleContainer<State>>(path))
    }
}

extension StartableModule {
    /// Mounts the module with a slice that is absent until it is started.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State?> & Sendable
    ) -> Mount<Root> {
        mountStartable(
            at: SharedPlace<Root, OptionalContainer<State>>(path, restrictedBy: readerRule)
        )
    }

    /// Mounts the module with any number of slices, each started under an id of its own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, Instances<State>> & Sendable
    ) -> Mount<Root> {
        mountStartable(
            at: SharedPlace<Root, InstancesContainer<State>>(path, restrictedBy: readerRule)
        )
    }

    /// Mounts the module with a slice for each session. The slice of a session is absent until the
    /// session starts it.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<State?>> & Sendable
    ) -> Mount<Root> { mountStartable(at: SessionPlace<Root, OptionalContainer<State>>(path)) }

    /// Mounts the module with any number of slices for each session, each started under an id of
    /// its own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<Instances<State>>> & Sendable
    ) -> Mount<Root> { mountStartable(at: SessionPlace<Root, InstancesContainer<State>>(path)) }

    /// Mounts the module with a slice for each user. The slice of a user is absent until the user
    /// starts it.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerPrincipal<State?>> & Sendable
    ) -> Mount<Root> { mountStartable(at: PrincipalPlace<Root, OptionalContainer<State>>(path)) }

    /// Mounts the module with any number of slices for each user, each started under an id of its
    /// own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerPrincipal<Instances<State>>> & Sendable
    ) -> Mount<Root> { mountStartable(at: PrincipalPlace<Root, InstancesContainer<State>>(path)) }

    private func mountStartable<Root: RootState>(at place: some SlicePlace<Root, State>) -> Mount<
        Root
    > {
        Mount(self, at: place, lifecycle: Lifecycle.handlers(of: self, at: place))
    }
}

/// The handlers of ``ModuleStart`` and ``ModuleStop``, the actions that make a module's slice and
/// remove it. A ``Mount`` of a startable module has these handlers beside the handlers of the
/// module's own actions.
enum Lifecycle {
    static func handlers<Root, M: StartableModule>(
        of module: M,
        at place: some SlicePlace<Root, M.State>
    ) -> [ActionHandler<Root>] {
        let begin = beginFunction(of: module)
        return [
            ActionHandler(
                ModuleStart<M.Interface>.self,
                .start,
                payloadType: M.Interface.Start.self,
                makeAction: {
                    ($0 as? M.Interface.Start).map { ModuleStart<M.Interface>(start: $0) }
                },
                extractPayload: { ($0 as? ModuleStart<M.Interface>)?.start },
                effectAfterStart: { root, action, address in
                    guard let action = action as? ModuleStart<M.Interface>,
                        let state = place.read(root, address.key)
                    else { return nil }
                    let effect = module.effect(afterStart: action.start, in: state)
                    return AnyEffect(effect, at: address, in: place)
                }
            ) { root, action, key, origin, comparison in
                // The reducer of a start.
                guard let action = action as? ModuleStart<M.Interface> else { return .unchanged }
                try place.checkInstanceID(key)
                guard let old = place.read(root, key) else {
                    let new = try begin(action.start, nil, origin, key.instance)
                    place.write(new, &root, key)
                    return SliceResult(changesSlice: true)
                }
                let new: M.State
                do {
                    new = try begin(action.start, old, origin, key.instance)
                } catch is AlreadyStarted {
                    let path = SliceAddress(module: M.Interface.name, key).path
                    throw Refusal(reason: "'\(path)' is started already.")
                }
                place.write(new, &root, key)
                return SliceResult(changesSlice: differs(old, new, comparison), isRestart: true)
            },
            ActionHandler(
                ModuleStop<M.Interface>.self,
                .stop,
                payloadType: NoFields.self,
                makeAction: { _ in ModuleStop<M.Interface>() },
                extractPayload: { _ in NoFields() }
            ) { root, _, key, _, _ in
                // The reducer of a stop. The stop of an absent slice is refused.
                _ = try place.requiredSlice(root, key, M.Interface.name)
                place.write(nil, &root, key)
                return SliceResult(changesSlice: true)
            },
        ]
    }

    /// A function that returns the slice after a start. `old` is the slice that the start replaces;
    /// `nil` for a new slice.
    private typealias BeginFunction<M: StartableModule> =
        @Sendable (M.Interface.Start, _ old: M.State?, ReducerContextSource, _ instance: String?)
        throws ->
        M.State

    /// Returns the function that begins a slice of the module.
    private static func beginFunction<M: StartableModule>(of module: M) -> BeginFunction<M> {
        if let contextual = module as? any ContextualStartableModule<M.State> {
            return beginFunction(of: contextual, as: M.self)
        }
        return { start, old, _, _ in
            try old.map { try module.begin(start, over: $0) } ?? module.begin(start)
        }
    }

    /// Returns the function that begins a slice of a module whose start gets a context. `C` and `M`
    /// are the same type.
    private static func beginFunction<C: ContextualStartableModule, M: StartableModule>(
        of module: C,
        as type: M.Type
    ) -> BeginFunction<M> where C.State == M.State {
        { start, old, origin, instance in
            guard let start = start as? C.Interface.Start else { throw AlreadyStarted() }
            let context = origin.context(of: instance)
            return try old.map { try module.begin(start, over: $0, in: context) }
                ?? module.begin(start, in: context)
        }
    }
}
