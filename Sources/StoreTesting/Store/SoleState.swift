import StoreCore

/// The root state of a module that is tried alone.
struct SoleState<M: Module>: RootState {
    var state: M.State?

    init() {}

    init(_ state: M.State) {
        self.state = state
    }

    /// None by itself: the module under test is a value, which a type does not have.
    static var modules: Modules { [] }

    static func modules(_ module: M) -> Modules {
        [Mount(module, .started(RootMember(\.state)))]
    }

    static func == (a: Self, b: Self) -> Bool { a.state == b.state }
}

/// The same for a module whose effects outlive the server, with the ledger that it needs.
struct KeptSoleState<M: Module>: RootState {
    var state: M.State?
    var effects = PendingEffects.State()

    init() {}

    init(_ state: M.State) {
        self.state = state
    }

    /// None by itself, as of ``SoleState``.
    static var modules: Modules { [] }

    static func modules(_ module: M) -> Modules {
        [Mount(module, .started(RootMember(\.state))), PendingEffects().at(\.effects)]
    }

    static func == (a: Self, b: Self) -> Bool { a.state == b.state && a.effects == b.effects }
}

extension Module {
    /// True if effects of the module outlive the server.
    var keepsItsEffects: Bool {
        KeptSoleState<Self>.modules(self).contains(where: \.slice.keepsEffects)
    }
}

extension RootState {
    /// Takes the ledgers of effects and of shown views over from another state: they are the
    /// store's own, so a test states nothing of them.
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
        guard let place = mount?.slice.place(of: ledger) as? SlicePlace<Self, Ledger> else {
            return { _, _ in }
        }
        return { state, other in place.write(place.read(other, .only), &state, .only) }
    }
}
