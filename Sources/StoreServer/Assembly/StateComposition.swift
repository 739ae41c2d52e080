import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHistory
import StoreJSON
import StoreMetrics
import StorePatterns
import StorePublishing
import StoreTelemetry
import StoreWire

/// The composition of a state: a single piece with one reducer (``StateWithoutModules``), or
/// modules (``ModularState``). The composition decides how the parts of a store are made.
protocol StateComposition<State>: Sendable {
    associatedtype State: Codable & Equatable & Sendable

    /// The modules, in the order of their declaration; `nil` if the state is one piece.
    var modules: [SliceDescription]? { get }
    /// The layout of the modules' slices in the state; `nil` if the state is one piece.
    var layout: SliceLayout? { get }
    /// The type whose schema describes the state that clients read.
    var visibleStateType: any Decodable.Type { get }
    /// The projections of the state; `nil` if the state is one piece.
    var views: ViewProjections<State>? { get }
    var viewNames: [String] { get }
    var useCases: [BoundUseCaseMethod] { get }

    /// The names of the presenters of the whole state.
    var presenterNames: [String] { get }
    /// The actions that start modules when a store begins, in the order of the modules.
    var startActions: [any Action] { get }
    /// The actions that start modules when a session begins.
    var sessionStartActions: [any Action] { get }

    /// Returns the actions of the modules. Throws if the modules can't form a state together.
    func actions() throws(ConfigurationError) -> [ModuleActions<State>]

    /// Makes the encoder that encodes the newest state after each batch. The encoder reads the
    /// changed modules from `context`.
    func makeWriter(_ context: StoreContext<State>) -> any StateWriter<State>

    /// Makes the encoder for past states.
    func makePastStateEncoding(_ encoder: JSONEncoder) -> StateEncoding<State, Snapshot>

    /// The name of each module, and the rule that decides which clients read its slices; empty for
    /// a state without modules.
    var readOwnership: [(name: String, ownership: SliceOwnership)] { get }

    /// Makes the port that finds the readers of records of restricted slices; `nil` if no slices
    /// are restricted.
    func makeReadersFinder(_ replay: Replay<State>) -> (any RecordReadersFinder)?

    /// Makes the function that compares the states before and after a dry run.
    func makeDryRunComparison(_ encoder: JSONEncoder) -> DryRunComparison

    /// Makes the Core, which notes the changed modules of each batch. `effects` gets the
    /// measurements of effects. A view in `views` reads the state from the Core if no published
    /// version has the data of the view. Throws if the modules can't form a state together.
    func makeCore(
        _ state: State,
        _ ports: CoreConfiguration<State>,
        _ context: StoreContext<State>,
        measuring effects: EffectTimes,
        showing views: ViewStreams<State>?
    ) throws(ConfigurationError) -> Core<State>

    /// Ends the views that sessions had open on the previous server, and resumes the unfinished
    /// effects. Clients have to open their views again.
    func resumeEffects(_ core: Core<State>, _ history: RecoveredHistory<State>, _ logger: Logger)

    /// Calls `seen` on the Core's thread for each existing slice of a module, and later for each
    /// slice that begins or ends. `module` is the index of the module.
    func watchSlices(
        of module: Int,
        in core: Core<State>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    )

    func sessions(of state: State) -> Sessions.State?
}

/// The composition of a state with one reducer. The state has no modules, and therefore no effects
/// and no views.
struct StateWithoutModules<State: Codable & Equatable & Sendable>: StateComposition {
    let reducer: @Sendable (inout State, any Action) throws -> Void

    var modules: [SliceDescription]? { nil }
    var visibleStateType: any Decodable.Type { State.self }
    var layout: SliceLayout? { nil }
    var views: ViewProjections<State>? { nil }
    var viewNames: [String] { [] }
    var useCases: [BoundUseCaseMethod] { [] }
    var presenterNames: [String] { [] }
    var startActions: [any Action] { [] }
    var sessionStartActions: [any Action] { [] }

    func actions() throws(ConfigurationError) -> [ModuleActions<State>] { [] }

    func makeWriter(_ context: StoreContext<State>) -> any StateWriter<State> {
        WholeStateWriter(context.encoder, measuring: context.encodeTimes)
    }

    func makePastStateEncoding(_ encoder: JSONEncoder) -> StateEncoding<State, Snapshot> {
        let writer = WholeStateWriter<State>(encoder)
        return { state, tag throws(JSONError) in try writer.snapshot(state, at: tag) }
    }

    var readOwnership: [(name: String, ownership: SliceOwnership)] { [] }

    func makeReadersFinder(_ replay: Replay<State>) -> (any RecordReadersFinder)? { nil }

    func makeDryRunComparison(_ encoder: JSONEncoder) -> DryRunComparison {
        StatePatch.dryRunComparison(of: State.self) { old, new, _, viewer throws(JSONError) in
            // The state has no members, so a viewer sees the whole state or nothing.
            guard viewer.sight == nil else { return try JSONPatch.diff(of: []) }
            return try StatePatch.make(from: old, to: new, with: encoder)
        }
    }

    func makeCore(
        _ state: State,
        _ ports: CoreConfiguration<State>,
        _ context: StoreContext<State>,
        measuring effects: EffectTimes,
        showing views: ViewStreams<State>?
    ) throws(ConfigurationError) -> Core<State> {
        var ports = ports
        ports.statesDiffer = { [encoder = context.encoder] in
            $0 != $1 || !encoder.haveSameBytes($0, $1)
        }
        return Core(state: state, reducer: .throwing(reducer), configuration: ports)
    }

    func resumeEffects(_ core: Core<State>, _ history: RecoveredHistory<State>, _ logger: Logger) {}

    func watchSlices(
        of module: Int,
        in core: Core<State>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {}

    func sessions(of state: State) -> Sessions.State? { nil }
}
