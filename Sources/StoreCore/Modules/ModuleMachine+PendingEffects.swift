// The ledger of effects, the module ``PendingEffects``: an entry for each effect that is to go on,
// or to be reported, after a restart. It is a part of the state, so an entry is as durable as the
// action.

extension ModuleMachine {
    /// Enters the effect of an action in the ledger, where a restart does not simply lose it.
    /// `state` is the state that the action has led to: it gets the entry, and `change` gets the
    /// ledger's slice.
    ///
    /// - Throws: ``KeptWorkError`` where what it needs to run again can't be kept.
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
        change.touch(Touch(ledger.module))
        change.isChange = true
    }

    /// Where the root state has the ledger; `nil` where it has none and none of its modules needs
    /// one.
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
        if let keeper = modules.first(where: { $0.slice.keepsEffects }) {
            throw .noLedger(keeper.name)
        }
        return nil
    }
}
