// The ledger: the slice that has the effects which outlive the server.

extension ModuleMachine {
    /// Enters an effect that outlives the server in the ledger.
    func enter(
        _ handler: ActionHandler<Root>,
        _ action: any Action,
        _ instance: String?,
        _ module: Int,
        _ version: UInt64,
        _ sessions: [String],
        in ledger: (module: Int, place: SlicePlace<Root, PendingEffects.State>),
        _ state: inout Root,
        _ change: inout Change
    ) {
        let address = SliceAddress(module: names[module], instance: instance)
        guard let effect = handler.effect(state, action, address), effect.onRestart != .lost,
            var pending = ledger.place.read(state, nil)
        else { return }
        pending.enter(
            PendingEffects.Entry(
                version: version,
                slice: address.path,
                onRestart: effect.onRestart
            )
        )
        ledger.place.write(pending, &state, nil)
        change.touch(Touch(ledger.module))
        change.isChange = true
    }

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
