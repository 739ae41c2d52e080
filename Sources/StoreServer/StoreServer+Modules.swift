public import StoreActionCatalog
public import StoreCore
import StoreWire

extension StoreServer where State: RootState {
    /// True if two values have the same JSON. A replay has to compare as the store did: the result
    /// decides if a session has a slice of its own.
    private static func haveSameBytes(_ a: any Encodable, _ b: any Encodable) -> Bool {
        let encoder = JSONEncoder()
        guard let a = try? encoder.encodeShared(AnyEncodable(a)),
            let b = try? encoder.encodeShared(AnyEncodable(b))
        else { return false }
        return a == b
    }

    /// Makes a server of the modules of a root state.
    ///
    /// ```swift
    /// @main
    /// struct App {
    ///     static func main() { StoreServer(AppState.self).main() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - root: the root state; `init()` makes the state before the first action.
    ///   - actions: further actions, which belong to no module and serve analytics alone.
    ///   - dependencies: the services of the world outside that effects use.
    ///   - name: the program's name in `--help` and `--version`.
    ///   - version: the version that `--version` prints.
    public init(
        _ root: State.Type,
        actions: ActionList = [],
        dependencies: Dependencies = .live,
        name: String = "store-server",
        version: String = StoreServerVersion.current
    ) {
        // The machine serves replays, and writes no lines to the log. If the modules don't fit
        // together, the start throws the error.
        let machine = Result { () throws(ModuleError) in
            try ModuleMachine<State>(
                comparison: Self.haveSameBytes,
                works: JSONWorkCodec()
            )
        }
        var first = State()
        let connect = { @Sendable (state: inout State) in
            if case .success(let machine) = machine { machine.connect(&state) }
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
        case .success(let machine): reducer = machine.replaying
        case .failure(let error): reducer = { _, _, _, _ in throw error }
        }
        self.connect = connect
        self.dependencies = dependencies
        composition = ModularState()
    }
}
