import Dispatch
public import StoreActionCatalog
public import StoreCore
import StoreHTTP
import StoreHistory
import StoreJSON
import StorePatterns

/// A store on the network: state, actions and a reducer, served over HTTP.
///
/// ```swift
/// Server(
///     state: AppState.initial,
///     actions: [CounterIncreaseRequested.self, StepChangeRequested.self],
///     reducer: appReducer
/// ).main()
/// ```
///
/// The state is encoded with the names and the order of the members in its declaration. States are
/// compared with `==` to find out if an action changed anything.
public struct Server<State: Codable & Equatable & Sendable>: Sendable {
    let state: State
    let actions: ActionList
    /// The reducer, which also gets the version and the session of the action.
    var reducer: StateReducer<State>
    /// The program's name in `--help` and `--version`.
    let programName: String
    let programVersion: String
    var observers: [(queue: DispatchQueue?, receive: @Sendable (State) -> Void)] = []
    var commands: [ExposedCommand] = []

    /// The function that connects the modules of a new state. The state comes from the program, a
    /// file or a snapshot. Connected modules can read each other's shared values.
    var connectModules: @Sendable (inout State) -> Void = { _ in }
    /// The dependencies of effects, before the preparations.
    var dependencies = Dependencies.live
    var mirroredValues: [MirroredValue<State>] = []
    var preparations: [@Sendable (inout Dependencies) async throws -> Void] = []
    var middleware: [(id: String, observe: Middleware<State>)] = []
    var interceptors: [(id: String, intercept: Interceptor<State>)] = []
    var reactions: [Reaction<State>] = []
    var composition: any StateComposition<State>

    /// The function that opens the program's own journal; `nil` if the configuration chooses the
    /// journal.
    var openProgramJournal: (@Sendable () throws -> OpenJournal)?
    /// The bounds of a history that the program keeps in memory; `nil` if the configuration chooses
    /// the journal.
    var memoryHistory: MemoryHistory?
    /// The function that receives the lines for the operator; `nil` if standard error gets these
    /// lines.
    var writeLogEntry: (@Sendable (LogEntry) -> Void)?
    var journalFailureHandler: (@Sendable (JournalError) -> Void)?
    /// The other stores of the process by name, in the order in which they were added.
    var otherStores: [(name: String, server: any AnyServer)] = []
    var migrations: [Migration] = []
    var ownOptions: [OwnOptions] = []
    /// The personal members of actions, in the order of their declarations.
    var personalDeclarations: [PersonalDeclaration] = []
    /// The function that makes the actions with which the state forgets a user; `nil` if the
    /// program declares none.
    var makeForgettingActions: (@Sendable (_ principal: String) -> [any Action])?

    /// Returns a copy of this server that `change` has changed. The other methods return such
    /// copies.
    func with(_ change: (inout Server) -> Void) -> Server {
        var server = self
        change(&server)
        return server
    }

    /// The functions and values that make a state from recorded actions.
    var program: Program<State> {
        Program(
            state: state,
            migrations: migrations,
            reducer: reducer,
            fillSharedValues: connectModules
        )
    }

    /// Makes a server that is not running yet.
    ///
    /// - Parameters:
    ///   - state: the state before the first action.
    ///   - actions: the actions that clients may dispatch.
    ///   - name: the program's name in `--help` and `--version`.
    ///   - version: the version that `--version` prints.
    ///   - reducer: makes the next state. If the reducer throws a `Refusal`, the state does not
    ///     change.
    public init(
        state: State,
        actions: ActionList,
        name: String = "store-server",
        version: String = StoreServerVersion.current,
        reducer: @escaping @Sendable (inout State, any Action) throws -> Void
    ) {
        self.state = state
        self.actions = actions
        self.programName = name
        self.programVersion = version
        self.reducer = { state, action, _, _ in try reducer(&state, action) }
        composition = StateWithoutModules(reducer: reducer)
    }

    /// Makes a server with a reducer that returns the next state.
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
    /// The version as the change log names it.
    public static let current = "0.1.0"
}

// Modules

extension Server where State: RootState {
    /// Makes a server of the modules of a root state.
    ///
    /// ```swift
    /// @main
    /// struct App {
    ///     static func main() { Server(AppState.self).main() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - root: the root state; `init()` makes the state before the first action.
    ///   - actions: further actions, which belong to no module. They change nothing and are only
    ///     for analytics.
    ///   - dependencies: the services outside the store that effects use.
    ///   - name: the program's name in `--help` and `--version`.
    ///   - version: the version that `--version` prints.
    public init(
        _ root: State.Type,
        actions: ActionList = [],
        dependencies: Dependencies = .live,
        name: String = "store-server",
        version: String = StoreServerVersion.current
    ) {
        // This `ModuleMachine` is for replays, and writes no lines to the log. If the modules don't
        // fit together, the start throws the error.
        let machine = Result { () throws(ModuleError) in
            try ModuleMachine<State>(
                comparison: { JSONEncoder().haveSameBytes($0, $1) },
                workCodec: JSONWorkCodec()
            )
        }
        var first = State()
        let connect = { @Sendable (state: inout State) in
            if case .success(let machine) = machine { machine.fillSharedCopies(in: &state) }
        }
        connect(&first)
        self.init(
            state: first,
            actions: actions,
            name: name,
            version: version,
            reducer: { (_: inout State, _: any Action) in }
        )
        switch machine {
        case .success(let machine): reducer = machine.replayReducer
        case .failure(let error): reducer = { _, _, _, _ in throw error }
        }
        self.connectModules = connect
        self.dependencies = dependencies
        composition = ModularState()
    }
}
