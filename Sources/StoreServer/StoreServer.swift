public import StoreActionCatalog
public import StoreCore
import StoreHTTP
import StoreHistory
import StorePatterns

/// A store on the network: state, actions and a reducer, served over HTTP.
///
/// ```swift
/// StoreServer(
///     state: AppState.initial,
///     actions: [CounterIncreaseRequested.self, StepChangeRequested.self],
///     reducer: appReducer
/// ).main()
/// ```
///
/// The state is encoded with the names and the order of its declaration, and compared with `==` to
/// find out whether an action changed anything.
public struct StoreServer<State: Codable & Equatable & Sendable>: Sendable {
    let state: State
    let actions: ActionList
    /// Reduces the action of a version.
    var reducer: StateReducer<State>
    /// What the program is called in its help and its version.
    let name: String
    /// The version that `--version` prints.
    let version: String
    /// The program's observers of the Core, in the order in which they were added.
    var observers: [Observer<State>] = []
    /// What operators may execute, in the order in which it was exposed.
    var commands: [ExposedCommand] = []

    /// Fills in what modules see of one another, in a state that no action has led to.
    var connect: @Sendable (inout State) -> Void = { _ in }
    /// What effects need of the world, before anything is prepared.
    var dependencies = Dependencies.live
    /// What modules share and the program has kept in files.
    var keptValues: [KeptValue<State>] = []
    /// What is done before the state is there, in the order in which it was added.
    var preparations: [@Sendable (inout Dependencies) async throws -> Void] = []
    /// What observes each action with the state before it, by name.
    var middleware: [(id: String, observe: Middleware)] = []
    /// What decides about actions before the reducer does, by name.
    var interceptors: [(id: String, intercept: Interceptor<State>)] = []
    /// What dispatches of its own accord.
    var reactions: [Reaction<State>] = []
    /// What the state is made of.
    var composition: any StateComposition<State>

    /// The program's own journal; `nil` where the configuration chooses one.
    var programJournal: ProgramJournal?
    /// Receives the lines for the operator, in place of standard error.
    var log: (@Sendable (LogEntry) -> Void)?
    /// What the program does when the journal has failed.
    var journalFailureDecision: (@Sendable (JournalError) -> Void)?
    /// The other stores of the process, in the order in which they were added.
    var others: [AddedStore] = []
    /// How actions of earlier versions of the program are read.
    var migrations: [Migration] = []

    /// What makes states of actions.
    var program: Program<State> {
        Program(state: state, migrations: migrations, reducer: reducer, connect: connect)
    }

    /// Makes a server that is not running yet.
    ///
    /// - Parameters:
    ///   - state: what is served before the first action.
    ///   - actions: the actions that clients may dispatch.
    ///   - name: the program's name in `--help` and `--version`.
    ///   - version: what `--version` prints.
    ///   - reducer: makes the next state; it may throw `Refusal`, and then nothing has happened.
    public init(
        state: State,
        actions: ActionList,
        name: String = "store-server",
        version: String = StoreServerVersion.current,
        reducer: @escaping @Sendable (inout State, any Action) throws -> Void
    ) {
        self.state = state
        self.actions = actions
        self.name = name
        self.version = version
        self.reducer = { state, action, _, _ in try reducer(&state, action) }
        composition = SinglePiece(reducer: reducer)
    }

    /// The same, with a reducer that returns the next state.
    public init(
        state: State,
        actions: ActionList,
        name: String = "store-server",
        version: String = StoreServerVersion.current,
        reducer: @escaping @Sendable (State, any Action) throws -> State
    ) {
        self.init(state: state, actions: actions, name: name, version: version) { state, action in
            state = try reducer(state, action)
        }
    }
}

/// The version of this package.
public enum StoreServerVersion {
    /// As in the change log.
    public static let current = "0.1.0"
}
