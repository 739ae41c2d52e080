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
    /// Takes the ledger of effects over from another state: it is the store's own, so a test states
    /// nothing of it.
    static var takingLedger: @Sendable (inout Self, Self) -> Void {
        let mount = modules.first { $0.name == PendingEffects.name }
        guard
            let place = mount?.slice.place(of: PendingEffects.State.self)
                as? SlicePlace<Self, PendingEffects.State>
        else { return { _, _ in } }
        return { state, other in place.write(place.read(other, .only), &state, .only) }
    }
}
