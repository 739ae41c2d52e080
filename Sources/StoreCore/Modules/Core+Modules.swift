extension Core where State: RootState {
    /// Makes a Core of the modules of a root state, with their effects and presenters.
    ///
    /// ```swift
    /// let core = try Core(AppState())
    /// core.dispatch(Counter.Action.increased)
    /// ```
    ///
    /// - Throws: ``ModuleError`` where the modules don't fit together.
    public convenience init(
        _ state: State,
        dependencies: Dependencies = .live
    ) throws(ModuleError) {
        try self.init(
            state,
            runner: EffectRunner(dependencies: dependencies),
            configuration: CoreConfiguration(),
            touched: []
        )
    }

    /// Makes a Core of modules with ports.
    ///
    /// - Parameters:
    ///   - modules: those of the root state, unless a module is to be tried alone.
    ///   - touched: who else wants to know which modules may have changed.
    ///   - begins: is called with the Core before presenters see it, and so before any action.
    package convenience init(
        _ state: State,
        modules: State.Modules = State.modules,
        runner: EffectRunner,
        configuration: CoreConfiguration<State>,
        touched: [TouchedModules],
        begins: (Core) -> Void = { _ in }
    ) throws(ModuleError) {
        let own = TouchedModules()
        let presentation = try Presentation(of: modules)
        let changes = SliceChanges<State>(own, presentation)
        var configuration = configuration
        configuration.effects = runner
        configuration.settled = { changes.settle($0, for: $1) }
        configuration.changes = changes
        if let presentation {
            configuration.hasNews = { presentation.hasStarters }
            configuration.takenBack = { presentation.forget() }
        }
        configuration.routes = RouteWatch { [runner] in
            try await runner.dependencies.clock.sleep(for: $0)
        }
        let machine = try ModuleMachine<State>(
            of: modules,
            [own] + touched,
            presentation: presentation
        )
        var state = state
        machine.connect(&state)
        self.init(state: state, form: .machine(machine), configuration: configuration)
        connect(runner, machine)
        begins(self)
        present(modules, changes)
    }

    /// A module's own view of this Core; of one of its instances, where an id is given.
    ///
    /// `nil` where the module is none of the root state's.
    public func child<M: Module>(
        _ module: M.Type,
        _ instance: String? = nil
    ) -> ChildStore<State, M>? {
        guard let changes = engine.configuration.changes as? SliceChanges<State>,
            let mount = State.modules.first(where: { $0.name == M.name }),
            let place = mount.slice.place(of: M.State.self) as? SlicePlace<State, M.State>
        else { return nil }
        return ChildStore(self, changes, place, instance)
    }

    private func connect(_ runner: EffectRunner, _ machine: ModuleMachine<State>) {
        runner.connect(
            EffectRunner.Ports(
                state: { [weak self] in
                    guard let self else { return () }
                    return await self.read()
                },
                submit: { [weak self] action, origin in
                    guard let self else { throw CancellationError() }
                    return try await self.submit(action, from: origin)
                },
                dispatch: { [weak self] action, source in
                    let isTaken = self?.engine.perform { engine in
                        engine.dispatchOwn(action, from: source)
                        source.watch?.end()
                    }
                    if isTaken != true { source.watch?.end() }
                },
                isOwn: { machine.module(of: $0) == $1 },
                version: { [weak engine] in engine?.version ?? 0 }
            )
        )
    }

    private func present(_ modules: State.Modules, _ changes: SliceChanges<State>) {
        guard let routes = engine.configuration.routes else { return }
        for mount in modules {
            for presenter in mount.presenters {
                let context = PresenterContext(
                    name: presenter.name,
                    routes: routes,
                    work: { [weak self] work in self?.engine.perform { _ in work() } }
                ) { [weak self] action, source, applied in
                    guard let engine = self?.engine else { return }
                    engine.dispatchOwn(
                        action,
                        from: source.caused(by: engine.version),
                        applied: applied
                    )
                }
                presenter.attach(changes, self, mount.slice, context)
            }
        }
    }
}

extension Core where State: RootState {
    /// Begins a method of a use case, at its place in the order of actions. Any thread.
    ///
    /// - Parameters:
    ///   - sessions: those that ask for it.
    ///   - watch: tells when the work is done, and all that it led to.
    ///   - begun: hears whether it began: a ``Refusal`` where the module is not started. Called where
    ///     the Core works.
    package func begin(
        _ useCase: BoundUseCase<State>,
        _ input: any Codable & Sendable,
        at address: SliceAddress,
        from sessions: [String] = [],
        watch: EffectWatch?,
        _ begun: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let isTaken = engine.perform { engine in
            guard let runner = engine.configuration.effects else { return }
            begun(
                Result { try useCase.begin(input, engine.state, address, runner, watch, sessions) }
            )
        }
        if !isTaken { begun(.failure(CoreFailure.closed)) }
    }

    /// As `dispatch(_:)`; `watch` is told of the effects that follow.
    package func dispatch(
        _ action: any Action,
        watch: EffectWatch
    ) async throws -> Dispatched<State> {
        try await withCheckedThrowingContinuation { continuation in
            engine.dispatch(action, watch: watch, reportingTo: continuation)
        }
    }

    /// Calls `look` with the state and its version, where the Core works. Answers `false` once the
    /// Core has stopped.
    @discardableResult
    package func look(_ look: @escaping @Sendable (State, UInt64) -> Void) -> Bool {
        engine.perform { engine in look(engine.state, engine.version) }
    }
}

extension Core {
    /// The effects that run and those that will, where the state is made of modules.
    package var effects: EffectRunner? { engine.configuration.effects }

    /// Who waits for what presenters have presented, where the state is made of modules.
    package var routes: RouteWatch? { engine.configuration.routes }

    /// The state as it is, for an effect; an empty value once the Core has stopped.
    func read() async -> any Sendable {
        await withCheckedContinuation { continuation in
            let isTaken = engine.perform { engine in continuation.resume(returning: engine.state) }
            if !isTaken { continuation.resume(returning: ()) }
        }
    }

    /// Hands over an action of whose change only some are told.
    func dispatch(_ action: any Action, for audience: Audience?) -> Bool {
        do {
            try engine.offer(
                Envelope<State>(
                    members: [try engine.member(of: action)],
                    audience: audience,
                    completion: Unheard()
                )
            )
            return true
        } catch {
            return false
        }
    }

    /// Hands over an effect's action, and waits until it is durable.
    func submit(_ action: any Action, from origin: ActionSource) async throws -> UInt64 {
        let member = try engine.member(of: action)
        return try await withCheckedThrowingContinuation { continuation in
            do {
                try engine.offer(
                    Envelope<State>(
                        members: [member],
                        source: origin,
                        completion: WaitingVersion(continuation)
                    )
                )
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}

/// An effect that awaits its action.
private final class WaitingVersion<State: Sendable>: Completion {
    private let continuation: CheckedContinuation<UInt64, any Error>

    init(_ continuation: CheckedContinuation<UInt64, any Error>) {
        self.continuation = continuation
    }

    func complete(_ outcome: Outcome<State>) {
        switch outcome {
        case .applied(_, let version, _, _): continuation.resume(returning: version)
        case .refused(let refusal, _): continuation.resume(throwing: refusal)
        case .failed(let failure): continuation.resume(throwing: failure)
        case .cancelled: continuation.resume(throwing: CancellationError())
        case .replayed, .keyTaken, .versionMismatch, .dryRun:
            continuation.resume(throwing: CoreFailure.unknown)
        }
    }
}
