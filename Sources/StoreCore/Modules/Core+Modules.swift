import Synchronization

extension Core where State: RootState {
    /// Makes a Core of the modules of a root state, with their effects and presenters.
    ///
    /// ```swift
    /// let core = try Core(AppState())
    /// core.dispatch(Counter.Action.increased)
    /// ```
    ///
    /// - Throws: ``ModuleError`` if the modules do not fit together.
    public convenience init(
        _ state: State,
        dependencies: Dependencies = .live
    ) throws(ModuleError) {
        try self.init(
            state,
            runner: EffectRunner(dependencies: dependencies),
            configuration: CoreConfiguration()
        )
    }

    /// Makes a Core of modules with a runner of effects. By default the modules are all modules of
    /// the root state; a test may pass a single module. Calls `begins` with the Core before the
    /// Core gets a presenter or an action.
    ///
    /// - Throws: ``ModuleError`` if the modules do not fit together.
    package convenience init(
        _ state: State,
        modules: State.Modules = State.modules,
        runner: EffectRunner,
        configuration: CoreConfiguration<State>,
        beforeStart: (Core) -> Void = { _ in }
    ) throws(ModuleError) {
        let presentation = try Self.presentation(of: modules, runner.dependencies)
        let sliceObservers = SliceObservers<State>(modules, presentation)
        var configuration = configuration
        configuration.effects = runner
        configuration.presentation = presentation
        let machine = try ModuleMachine<State>(
            of: modules,
            sliceObservers: sliceObservers,
            comparison: configuration.haveSameBytes,
            workCodec: configuration.workCodec
        )
        var state = state
        machine.fillSharedCopies(in: &state)
        // After a replay, the state still shows the slices of the session of the last action.
        machine.setReader(of: &state, to: nil, as: nil)
        self.init(state: state, reducer: .modular(machine), configuration: configuration)
        runner.connect(engine)
        beforeStart(self)
        attachPresenters(of: modules, sliceObservers)
        startTimekeeper(machine, runner)
    }

    /// Begins to dispatch the actions of timers, if the root state has a schedule.
    private func startTimekeeper(_ machine: ModuleMachine<State>, _ runner: EffectRunner) {
        guard let changes = machine.sliceObservers, let schedule = machine.scheduleLedger else {
            return
        }
        let keeper = Timekeeper(machine, runner)
        let isStart = Atomic(true)
        _ = changes.observe(Schedule.name, nil, schedule.place, self, ignoresAudience: true) {
            [weak engine] change in
            guard let engine else { return }
            let isFirst = isStart.exchange(false, ordering: .relaxed)
            keeper.scheduleDidChange(from: change.old, to: change.new, isStart: isFirst, engine)
        }
    }

    /// The machine of the modules; `nil` if a single reducer changes the state.
    var machine: ModuleMachine<State>? { stateOwner.modularReducer as? ModuleMachine<State> }

    /// Returns the child store of a module, or of one of its instances.
    ///
    /// A slice that is not started has a child store, too. Observers then get `nil` as the slice.
    ///
    /// - Parameters:
    ///   - module: the module, or its interface.
    ///   - instance: the id of the instance, if the module has instances.
    ///   - session: the session that owns the slice, if sessions have slices; `nil` for the shared
    ///     session. If users have slices, the session of a visitor.
    ///   - principal: the name of the user that owns the slice, if users have slices.
    /// - Returns: the child store.
    /// - Throws: ``ModuleError/notMounted(_:)`` if the root state does not have the module.
    public func child<M: ModuleInterface>(
        _ module: M.Type,
        _ instance: String? = nil,
        of session: String? = nil,
        as principal: String? = nil
    ) throws(ModuleError) -> ChildStore<State, M> {
        guard let changes = machine?.sliceObservers,
            let mount = State.modules.first(where: { $0.name == M.name }),
            let place = mount.place(of: M.State.self)
        else { throw .notMounted(M.name) }
        let owner = place.ownership.owner(of: principal, in: session)
        return ChildStore(self, changes, place, SliceKey(owner: owner, instance: instance))
    }

    /// Calls `seen` on the thread that does the Core's work, for each slice of a module that begins
    /// or ends. The first calls are for the slices that already exist. `module` is an index into
    /// ``RootState/modules``.
    package func watchSlices(
        of module: Int,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {
        guard let machine, let changes = machine.sliceObservers else { return }
        machine.modules[module].boundModule?.watchSlices(changes, self, seen)
    }

    /// Returns the presentation that a module supplies; `nil` if no module supplies one.
    ///
    /// - Throws: ``ModuleError`` in three cases. A presenter has another state type than the slice
    ///   of its module. A presenter needs a module that is not mounted. A presenter needs a slice
    ///   that a start makes, but the slice always exists.
    private static func presentation(
        of modules: State.Modules,
        _ dependencies: Dependencies
    ) throws(ModuleError) -> (any RootPresentation<State>)? {
        func checkNeeds(of presenter: any Presenter.Type, in name: String) throws(ModuleError) {
            guard let needed = presenter.neededModule?.name,
                !modules.contains(where: { $0.name == needed })
            else { return }
            throw .missingNeededModule(needed, by: name)
        }
        for mount in modules {
            for presenter in mount.presenters {
                guard presenter.matchesSliceType else {
                    throw .foreignPresenter("\(presenter.type)", module: mount.name)
                }
                if presenter.needsStartableSlice, mount.slicePlace.cardinality == .one {
                    throw .presentsPermanentSlice(mount.name)
                }
                try checkNeeds(of: presenter.type, in: mount.name)
            }
        }
        for presenter in State.presenters {
            try checkNeeds(of: type(of: presenter), in: "\(State.self)")
        }
        return modules.lazy.compactMap { $0.boundModule?.presentation(of: modules, dependencies) }
            .first
    }

    private func attachPresenters(of modules: State.Modules, _ changes: SliceObservers<State>) {
        for mount in modules {
            for presenter in mount.presenters {
                let context = PresenterContext(
                    name: presenter.name,
                    presenterType: presenter.type,
                    module: mount.name,
                    engine: engine
                )
                presenter.attach(changes, self, context)
            }
        }
        for presenter in State.presenters { attach(presenter, changes) }
    }

    private func attach<P: Presenter<State>>(_ presenter: P, _ changes: SliceObservers<State>) {
        let context = PresenterContext(name: "\(P.self)", presenterType: P.self, engine: engine)
        let whole = WholeStatePresenter(
            presenter,
            context,
            hasOwnedSlices: stateOwner.hasOwnedSlices
        )
        changes.addPresenter(whole, of: self)
    }
}

extension Core where State: RootState {
    /// Calls `look` with the state and its version, on the thread that does the Core's work.
    /// Returns `false` if the Core has stopped.
    @discardableResult
    package func readState(_ look: @escaping @Sendable (State, UInt64) -> Void) -> Bool {
        engine.enqueueTask { [stateOwner] engine in look(stateOwner.current, engine.version) }
    }
}

extension Core {
    /// The runner of the effects; `nil` if the state is not made of modules.
    package var effectRunner: EffectRunner? { engine.ports.effects }

    /// Returns the version after the commit of all envelopes that wait at this moment; `nil` if the
    /// Core has stopped.
    package func versionAfterWaitingEnvelopes() async -> UInt64? {
        await withCheckedContinuation { continuation in
            let isTaken = engine.enqueueTask { continuation.resume(returning: $0.version) }
            if !isTaken { continuation.resume(returning: nil) }
        }
    }

    /// Dispatches an action. Only `audience` gets the change. Returns `false` if the Core does not
    /// accept the action.
    func dispatch(
        _ action: any Action,
        for audience: Audience?,
        from owner: SliceKey = .only
    ) -> Bool {
        do {
            try engine.offer(
                Envelope(
                    members: [try engine.member(of: action)],
                    principal: owner.principal,
                    audience: audience,
                    session: owner.session,
                    completion: UnawaitedCompletion()
                )
            )
            return true
        } catch {
            return false
        }
    }
}
