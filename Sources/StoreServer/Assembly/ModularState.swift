import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHistory
import StoreJSON
import StoreMetrics
import StorePatterns
import StorePublishing
import StoreTelemetry

struct ModularState<State: RootState>: StateComposition {
    var modules: [SliceDescription]? {
        State.modules.map { SliceDescription($0) }
    }

    var visibleStateType: any Decodable.Type { VisibleRoot<State>.self }

    var layout: SliceLayout? { SliceLayout(of: State.self) }

    var views: ViewProjections<State>? { ViewProjections(of: State.self) }

    var viewNames: [String] { State.views.map { $0.name } }

    var useCases: [BoundUseCaseMethod] { BoundUseCaseMethod.all(of: State.self) }

    var presenterNames: [String] { State.presenters.map { "\(type(of: $0))" } }

    var startActions: [any Action] { State.startActions }

    var sessionStartActions: [any Action] { State.sessionStartActions }

    func actions() throws(ConfigurationError) -> [ModuleActions<State>] {
        _ = try ConfigurationError.wrapErrors { try ModuleMachine<State>() }
        if let module = State.moduleWithoutPresence {
            throw ConfigurationError("\(ModuleError.noPresence(module))")
        }
        if let module = State.moduleWithoutUsers {
            throw ConfigurationError("\(ModuleError.noUsers(module))")
        }
        return State.modules.map { ModuleActions($0) } + [ModuleActions(of: State.self)]
    }

    func makeWriter(_ context: StoreContext<State>) -> any StateWriter<State> {
        SliceWriter(context.encoder, context.editedModules, measuring: context.encodeTimes)
    }

    func makePastStateEncoding(_ encoder: JSONEncoder) -> StateEncoding<State, Snapshot> {
        let edited = EditedModules()
        let writer = SliceWriter<State>(encoder, edited)
        return { state, tag throws(JSONError) in
            // The modules that the past action changed are unknown, so all modules count as
            // changed.
            edited.insert(State.modules.indices)
            return try writer.snapshot(state, at: tag)
        }
    }

    var readOwnership: [(name: String, ownership: SliceOwnership)] {
        zip(State.modules, State.readOwnership).map { ($0.name, $1) }
    }

    func makeReadersFinder(_ replay: Replay<State>) -> (any RecordReadersFinder)? {
        let restricted = State.modules.filter { $0.slicePlace.ownership == .readers }
        guard !restricted.isEmpty else { return nil }
        return ReplayedReaders(replay) { state, record in
            guard
                let place = restricted.first(where: { $0.name.isSame(as: record.module) })?
                    .slicePlace
            else { return nil }
            let key = SliceKey(instance: record.instance)
            return place.isSliceThere(state, key) ? place.readers(state, key) : nil
        }
    }

    func makeDryRunComparison(_ encoder: JSONEncoder) -> DryRunComparison {
        StatePatch.dryRunComparison(of: State.self) { old, new, edits, viewer throws(JSONError) in
            try StatePatch.make(from: old, to: new, in: edits, for: viewer, with: encoder)
        }
    }

    func makeCore(
        _ state: State,
        _ ports: CoreConfiguration<State>,
        _ context: StoreContext<State>,
        measuring effects: EffectTimes,
        showing views: ViewStreams<State>?
    ) throws(ConfigurationError) -> Core<State> {
        let world = context.world
        var ports = ports
        ports.editedModules = [context.editedModules]
        ports.haveSameBytes = context.encoder.haveSameBytes
        ports.workCodec = JSONWorkCodec()
        let runner = EffectRunner(
            dependencies: world.dependencies,
            executor: world.simulatedWorld?.executor ?? world.testWorld?.executor,
            tracing: ports.tracing
        ) { token, error in
            effects.noteFailure(token.cause.wireNameTemplate, of: token.address.module)
            guard world.simulatedWorld == nil else { return }
            world.logger.warning(
                .effectFailed,
                "the effect \(token.id) of version \(token.cause.version): \(error)",
                LogField("type", .name(token.cause.wireNameTemplate)),
                LogField("version", .count(token.cause.version))
            )
        } onBegin: { token in
            effects.noteBeginning(token.cause.wireNameTemplate, of: token.address.module)
        } onEnd: { token, nanoseconds in
            effects.noteEnding(
                token.cause.wireNameTemplate,
                of: token.address.module,
                after: nanoseconds
            )
        } onRetry: { token in
            effects.noteRetry(token.cause.wireNameTemplate, of: token.address.module)
        }
        let core = try ConfigurationError.wrapErrors {
            try Core(state, runner: runner, configuration: ports)
        }
        views?.setStateAccess { [weak core] look in core?.readState(look) }
        return core
    }

    func resumeEffects(_ core: Core<State>, _ history: RecoveredHistory<State>, _ logger: Logger) {
        core.setDeclaredTimers()
        let state = history.state
        for (action, session) in state.viewEndActions {
            let source = ActionSource(sourceLocation: ViewPresence.defaultOrigin, session: session)
            core.engine.dispatchProgramAction(action, from: source)
        }
        guard let pending: PendingEffects.State = slice(PendingEffects.name, of: state) else {
            return
        }
        let past = PastActionReader(history.journal, history.replay.forms)
        core.resume(pending.pending, pastAction: past.action(of:)) { entry, resumption in
            let effect = "the effect of '\(entry.slice)' after version \(entry.version)"
            switch resumption {
            case .runAgain: logger.info(.effectInterrupted, "\(effect) is run again")
            case .reported:
                logger.info(
                    .effectInterrupted,
                    "\(effect) had not ended; its module gets a report"
                )
            case .impossible(let reason):
                logger.warning(.effectInterrupted, "\(effect) is not run again: \(reason)")
            }
        }
    }

    func watchSlices(
        of module: Int,
        in core: Core<State>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {
        core.watchSlices(of: module, seen)
    }

    func sessions(of state: State) -> Sessions.State? { slice(Sessions.name, of: state) }

    private func slice<Value>(_ module: String, of state: State) -> Value? {
        State.modules.first { $0.name == module }?.slicePlace.memberValue(state) as? Value
    }
}

extension JSONEncoder {
    /// Returns true if two values have the same JSON. Both the store and a replay compare values
    /// with this function, because the result decides if a session gets a slice of its own.
    func haveSameBytes(_ a: any Encodable, _ b: any Encodable) -> Bool {
        guard let a = try? encodeShared(AnyEncodable(a)), let b = try? encodeShared(AnyEncodable(b))
        else { return false }
        return a == b
    }
}
