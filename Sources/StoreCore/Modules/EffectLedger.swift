/// Access to the ledger of effects: the slice of ``PendingEffects`` in a root state.
///
/// The ledger has an entry for each effect that runs again or is reported after a restart. The
/// entries are a part of the state, so an entry is as durable as the action of its effect.
struct EffectLedger<Root: RootState>: Sendable {
    let moduleIndex: Int
    private let place: SinglePlace<Root, PendingEffects.State>

    /// Finds the ledger of a root state; `nil` if the state has no ledger and no module needs a
    /// ledger.
    ///
    /// - Throws: ``ModuleError/noEffectLedger(_:)`` if a module needs a ledger and the state has no
    ///   ledger.
    init?(of modules: Root.Modules) throws(ModuleError) {
        guard let found = Root.singlePlace(of: PendingEffects.self, in: modules) else {
            guard let keeper = modules.first(where: \.hasDurableEffects) else { return nil }
            throw .noEffectLedger(keeper.name)
        }
        (moduleIndex, place) = found
    }

    /// Enters the effect of an action in the ledger, unless the effect's policy for a restart is
    /// `lost`. Adds the entry to `state`, the state after the action, and the ledger's slice to
    /// `change`.
    ///
    /// - Throws: ``KeptWorkError`` if the input of the effect cannot be kept.
    func enter(
        _ effect: AnyEffect,
        version: UInt64,
        _ works: (any WorkCodec)?,
        _ state: inout Root,
        _ change: inout Change
    ) throws {
        guard effect.onRestart != .lost else { return }
        var pending = place.read(state)
        let work: KeptWork? =
            if let works, let kept = effect.encodeKeptWork { try kept(works) } else { nil }
        pending.insert(
            PendingEffects.Entry(
                version: version,
                slice: effect.address.path,
                onRestart: effect.onRestart,
                work: work
            )
        )
        place.write(pending, &state)
        change.add(SliceEdit(moduleIndex))
        change.changesState = true
        // All clients share the ledger, even if the slice of the effect has an owner.
        change.isVisibleToSenderOnly = false
    }
}
