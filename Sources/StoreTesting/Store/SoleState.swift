public import StoreCore

/// The root state of a module that is tested alone.
struct SoleState<M: Module>: RootState {
    var state: M.State?

    init() {}

    init(_ state: M.State) {
        self.state = state
    }

    /// Always empty: the module under test is a value, and a type's property cannot contain it.
    static var modules: Modules { [] }

    static func modules(_ module: M) -> Modules {
        [Mount(module, at: SharedPlace<Self, OptionalContainer<M.State>>(\.state))]
    }

    static func == (a: Self, b: Self) -> Bool { a.state == b.state }
}

/// The root state of a module whose effects outlive the server. The state contains their ledger.
struct KeptSoleState<M: Module>: RootState {
    var state: M.State?
    var effects = PendingEffects.State()

    init() {}

    init(_ state: M.State) {
        self.state = state
    }

    /// Always empty, as in ``SoleState``.
    static var modules: Modules { [] }

    static func modules(_ module: M) -> Modules {
        [
            Mount(module, at: SharedPlace<Self, OptionalContainer<M.State>>(\.state)),
            PendingEffects().at(\.effects),
        ]
    }

    static func == (a: Self, b: Self) -> Bool { a.state == b.state && a.effects == b.effects }
}

extension Module {
    /// True if effects of the module outlive the server.
    var keepsItsEffects: Bool {
        KeptSoleState<Self>.modules(self).contains(where: \.hasDurableEffects)
    }
}

extension RootState {
    /// Copies the ledgers of effects and of presence from another state. They belong to the store,
    /// so a test does not state them.
    static var takingLedger: @Sendable (inout Self, Self) -> Void {
        let effects = taking(PendingEffects.State.self, of: PendingEffects.name)
        let presence = taking(Presence.State.self, of: Presence.name)
        return { state, other in
            effects(&state, other)
            presence(&state, other)
        }
    }

    private static func taking<Ledger: ModuleState>(
        _ ledger: Ledger.Type,
        of name: String
    ) -> @Sendable (inout Self, Self) -> Void {
        let mount = modules.first { $0.name == name }
        guard let place = mount?.place(of: ledger) else { return { _, _ in } }
        return { state, other in place.write(place.read(other, .only), &state, .only) }
    }
}

extension Shared {
    /// Makes a value that another module shares, for a test of the reading module alone.
    ///
    /// In a test of a root state, the store fills the value, and the test does not state it.
    public init(_ value: Value) {
        self.init()
        self.value = value
    }
}

extension RootState {
    /// Fills the values that modules of this state share, as a store does after each action.
    static var connected: @Sendable (inout Self) -> Void {
        // A failure of these modules is reported when the test makes a store.
        guard let machine = try? ModuleMachine<Self>(of: modules) else { return { _ in } }
        return { machine.connect(&$0) }
    }
}
