/// The place of ``PendingEffects`` in a root state: the ledger of effects.
///
/// The ledger has an entry for each effect that runs again or is reported after a restart. The
/// entries are a part of the state, so each is as durable as its action.
struct EffectLedger<Root: RootState>: Sendable {
    let module: Int
    private let place: SinglePlace<Root, PendingEffects.State>

    /// Finds the ledger of a root state; `nil` if the state has no ledger and no module needs one.
    ///
    /// - Throws: ``ModuleError/noLedger(_:)`` if a module needs a ledger and there is none.
    init?(of modules: Root.Modules) throws(ModuleError) {
        guard let found = Root.singlePlace(of: PendingEffects.self, in: modules) else {
            guard let keeper = modules.first(where: \.hasDurableEffects) else { return nil }
            throw .noLedger(keeper.name)
        }
        (module, place) = found
    }

    /// Enters the effect of an action in the ledger, unless a restart may lose the effect. `state`
    /// is the state after the action and gets the entry; `change` gets the ledger's slice.
    ///
    /// - Throws: ``KeptWorkError`` if the input of the effect cannot be kept.
    func enter(
        _ effect: PendingEffect,
        version: UInt64,
        _ works: (any WorkCodec)?,
        _ state: inout Root,
        _ change: inout Change
    ) throws {
        guard effect.onRestart != .lost else { return }
        var pending = place.read(state)
        let work: KeptWork? = if let works, let kept = effect.kept { try kept(works) } else { nil }
        pending.enter(
            PendingEffects.Entry(
                version: version,
                slice: effect.address.path,
                onRestart: effect.onRestart,
                work: work
            )
        )
        place.write(pending, &state)
        change.add(SliceEdit(module))
        change.isChange = true
    }
}
