public import StoreCore

/// The root state of a module that is tested alone. The ledger is for effects that outlive the
/// server, and the schedule is for timers. Both stay empty if the module has neither.
struct SoleState<M: Module>: RootState {
    var state: M.State?
    var pendingEffects = PendingEffects.State()
    var schedule = Schedule.State()

    init() {}

    init(_ state: M.State) { self.state = state }

    /// Always empty: the module under test is a value of the test, and a static property can't read
    /// this value.
    static var modules: Modules { [] }

    static func modules(_ module: M) -> Modules {
        [
            Mount(module, at: SharedPlace<Self, OptionalContainer<M.State>>(\.state)),
            PendingEffects().at(\.pendingEffects),
            Schedule().at(\.schedule),
        ]
    }

    static func == (a: Self, b: Self) -> Bool {
        a.state == b.state && a.pendingEffects == b.pendingEffects && a.schedule == b.schedule
    }
}

extension RootState {
    /// Returns the names of modules in quotation marks, for messages. The ledger of effects and the
    /// schedule are left out, because a test does not send their actions.
    static func quotedNames(of modules: Modules) -> [String] {
        modules.map(\.name).filter { $0 != PendingEffects.name && $0 != Schedule.name }.map {
            "'\($0)'"
        }
    }

    /// The functions for the values of this root state that the store itself writes.
    static var storeValueCopier: StoreValueCopier<Self> {
        let effects = ledgerCopier(PendingEffects.State.self, named: PendingEffects.name)
        let presence = ledgerCopier(Presence.State.self, named: Presence.name)
        let schedule = ledgerCopier(Schedule.State.self, named: Schedule.name)
        // A mistake in the modules is reported when the test makes a store.
        let machine = try? ModuleMachine<Self>(of: modules)
        return StoreValueCopier {
            machine?.fillSharedCopies(in: &$0)
        } copyLedgers: { state, other in
            effects(&state, other)
            presence(&state, other)
            schedule(&state, other)
        }
    }

    private static func ledgerCopier<Ledger: ModuleState>(
        _ ledger: Ledger.Type,
        named name: String
    ) -> @Sendable (inout Self, Self) -> Void {
        let mount = modules.first { $0.name == name }
        guard let place = mount?.place(of: ledger) else { return { _, _ in } }
        return { state, other in place.write(place.read(other, .only), &state, .only) }
    }
}

extension Shared {
    /// Makes the copy of a shared value, for a test of the reading module alone.
    ///
    /// In a test of a root state, the store fills the copy, and the test does not state the copy.
    public init(_ value: Value) {
        self.init()
        self.value = value
    }
}
