import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHistory
import StorePatterns
import StorePublishing
import StoreTelemetry
import StoreWire

/// What a state is made of, and so what its store does: one piece with one reducer
/// (``SinglePiece``), or modules (``ModularState``).
protocol StateComposition<State>: Sendable {
    associatedtype State: Codable & Equatable & Sendable

    /// The modules, in their order; `nil` where the state is one piece.
    var modules: [SliceDescription]? { get }
    /// How the modules' slices make up the state; `nil` where it is one piece.
    var layout: SliceLayout? { get }
    /// The form of what a client gets of the state, for schemas.
    var visibleForm: any Decodable.Type { get }
    /// The projections of the state; `nil` where it is one piece.
    var views: ViewProjections<State>? { get }
    /// The names of the projections.
    var viewNames: [String] { get }
    /// The methods of the modules' use cases.
    var useCases: [BoundUseCaseMethod] { get }

    /// The presenters of the whole state.
    var presenters: [String] { get }
    /// What starts the modules that start with the store, in their order.
    var starts: [any Action] { get }
    /// What starts the modules that start with a session.
    var sessionStarts: [any Action] { get }

    /// The actions of the modules.
    ///
    /// - Throws: where the modules make no state together.
    func actions() throws(ConfigurationError) -> [ModuleActions<State>]

    /// Makes what encodes the states of a batch, given the modules that the batch has touched.
    func writer(
        _ encoder: JSONEncoder,
        _ touched: TouchedModules,
        measuring times: EncodeTimes
    ) -> any StateWriter<State>

    /// Makes what encodes states that are past.
    func encoding(_ encoder: JSONEncoder) -> StateEncoding<State>

    /// Makes what finds the difference that a dry run would make.
    func comparison(_ encoder: JSONEncoder) -> DryRunComparison

    /// Makes the Core, which notes the modules that a batch touches. `haveSameBytes` answers
    /// whether two values are encoded alike; what is measured of effects goes to `effects`.
    ///
    /// - Throws: where the modules make no state together.
    func core(
        _ state: State,
        _ ports: CoreConfiguration<State>,
        in world: World,
        touching touched: TouchedModules,
        haveSameBytes: @escaping ByteComparison,
        measuring effects: EffectTimes
    ) throws(ConfigurationError) -> Core<State>

    /// Has views made of the Core's state, where no published version will do.
    func showState(of core: Core<State>, to publisher: Publisher<State>)

    /// Goes on with the effects that had not ended when the server did. `past` gives the action of
    /// a version, where history still has it.
    func resume(
        _ core: Core<State>,
        _ state: State,
        _ logger: Logger,
        past: @escaping @Sendable (UInt64) -> PastAction?
    )

    /// The actions that end the views that a state has open, each with its session; `nil` stands
    /// for the shared session.
    func endsOfViews(in state: State) -> [(action: any Action, session: String?)]

    /// Has `seen` called where the Core works, for each slice of a module that begins or ends, and
    /// first for each that is there. The module goes by its place.
    func watchSlices(
        of module: Int,
        in core: Core<State>,
        _ seen: @escaping @Sendable (SliceKey, _ isThere: Bool) -> Void
    )

    /// The sessions of a state, where it has any.
    func sessions(of state: State) -> Sessions.State?
}
