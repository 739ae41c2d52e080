public import StoreActionCatalog
public import StoreCore
import StoreWire

extension StoreServer where State: RootState {
    /// Whether two values have the same JSON. A replay asks it as the store did: whether a session
    /// has got something of its own depends on it.
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
    ///   - root: the root state; `init()` makes what is served before the first action.
    ///   - actions: further actions, which no module has: what only analytics look at.
    ///   - dependencies: what effects need of the world.
    ///   - name: the program's name in `--help` and `--version`.
    ///   - version: what `--version` prints.
    public init(
        _ root: State.Type,
        actions: ActionList = [],
        dependencies: Dependencies = .live,
        name: String = "store-server",
        version: String = StoreServerVersion.current
    ) {
        // A replay of its own, without lines in the log; where the modules don't fit together, the
        // start throws.
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
