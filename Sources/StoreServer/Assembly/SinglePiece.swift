import StoreActionCatalog
import StoreCore
import StoreEventStream
import StoreHTTP
import StoreHistory
import StorePatterns
import StorePublishing
import StoreTelemetry
import StoreWire

/// A state that is one piece, with one reducer: it has no modules, and therefore no effects and no
/// views.
struct SinglePiece<State: Codable & Equatable & Sendable>: StateComposition {
    let reducer: @Sendable (inout State, any Action) throws -> Void

    var modules: [SliceDescription]? { nil }
    var visibleForm: any Decodable.Type { State.self }
    var layout: SliceLayout? { nil }
    var views: ViewProjections<State>? { nil }
    var viewNames: [String] { [] }
    var useCases: [BoundUseCaseMethod] { [] }
    var presenters: [String] { [] }
    var starts: [any Action] { [] }
    var sessionStarts: [any Action] { [] }

    func actions() throws(ConfigurationError) -> [ModuleActions<State>] { [] }

    func writer(
        _ encoder: JSONEncoder,
        _ touched: EditedModules,
        measuring times: EncodeTimes
    ) -> any StateWriter<State> {
        WholeStateWriter(encoder, measuring: times)
    }

    func encoding(_ encoder: JSONEncoder) -> StateEncoding<State> {
        let writer = WholeStateWriter<State>(encoder)
        return { state, tag throws(JSONError) in try writer.snapshot(state, at: tag) }
    }

    func comparison(_ encoder: JSONEncoder) -> DryRunComparison {
        StatePatch.comparison(of: State.self) { old, new, _, viewer throws(JSONError) in
            // The state has no members, so a viewer sees all of it or nothing.
            guard viewer.sight == nil else { return try JSONPatch.diff(of: []) }
            return try StatePatch.make(from: old, to: new, with: encoder)
        }
    }

    func core(
        _ state: State,
        _ ports: CoreConfiguration<State>,
        in world: World,
        touching touched: EditedModules,
        haveSameBytes: @escaping ByteComparison,
        measuring effects: EffectTimes
    ) throws(ConfigurationError) -> Core<State> {
        var ports = ports
        ports.changed = { $0 != $1 || !haveSameBytes($0, $1) }
        return Core(state: state, form: .throwing(reducer), configuration: ports)
    }

    func showState(of core: Core<State>, to publisher: StatePublisher<State>) {}

    func resume(
        _ core: Core<State>,
        _ state: State,
        _ logger: Logger,
        past: @escaping @Sendable (UInt64) -> PastAction?
    ) {}

    func endsOfViews(in state: State) -> [(action: any Action, session: String?)] { [] }

    func watchSlices(
        of module: Int,
        in core: Core<State>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    ) {}

    func sessions(of state: State) -> Sessions.State? { nil }
}
