// The ledger of effects, the module ``PendingEffects``: an entry for each effect that goes on or is
// reported after a restart. The entries are a part of the state, so each is as durable as its
// action.

extension ModuleMachine {
    /// Enters the effect of an action in the ledger, unless a restart may lose the effect. `state`
    /// is the state after the action and gets the entry; `change` gets the ledger's slice.
    ///
    /// - Throws: ``KeptWorkError`` if the input of the effect cannot be kept.
    func enter(
        _ effect: PendingEffect,
        version: UInt64,
        in ledger: (module: Int, place: SlicePlace<Root, PendingEffects.State>),
        _ state: inout Root,
        _ change: inout Change
    ) throws {
        guard effect.onRestart != .lost, var pending = ledger.place.read(state, .only) else {
            return
        }
        let work: KeptWork? = if let works, let kept = effect.kept { try kept(works) } else { nil }
        pending.enter(
            PendingEffects.Entry(
                version: version,
                slice: effect.address.path,
                onRestart: effect.onRestart,
                work: work
            )
        )
        ledger.place.write(pending, &state, .only)
        change.touch(SliceEdit(ledger.module))
        change.isChange = true
    }

    /// Returns the ledger of a root state; `nil` if there is none and no module needs one.
    ///
    /// - Throws: ``ModuleError/noLedger(_:)`` if a module needs one.
    static func ledger(
        of modules: Root.Modules
    ) throws(ModuleError) -> (module: Int, place: SlicePlace<Root, PendingEffects.State>)? {
        for (index, mount) in modules.enumerated() where mount.name == PendingEffects.name {
            if let place = mount.slice.place(of: PendingEffects.State.self)
                as? SlicePlace<Root, PendingEffects.State>
            {
                return (index, place)
            }
        }
        if let keeper = modules.first(where: { $0.slice.hasDurableEffects }) {
            throw .noLedger(keeper.name)
        }
        return nil
    }
}
