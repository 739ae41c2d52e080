/// An action of history, as effects that go on after a restart need it.
package struct PastAction: Sendable {
    /// `nil` where it can't be read any more.
    package let action: (any Action)?
    /// The session that it came from; `nil` where no client with a session did.
    package let session: String?
    /// The principal that it came from; `nil` where none did.
    package let principal: ActionPrincipal?
    /// The trace that it is a part of; `nil` where it is a part of none.
    package let trace: String?

    package init(
        _ action: (any Action)?,
        from session: String? = nil,
        by principal: ActionPrincipal? = nil,
        within trace: String? = nil
    ) {
        self.action = action
        self.session = session
        self.principal = principal
        self.trace = trace
    }
}

extension Core where State: RootState {
    /// Treats the effects that had not ended when the store stopped. Those with that policy run
    /// again; the module of each of the others gets an action about it. What they dispatch has
    /// the cause, the session and the trace of the action that began them.
    ///
    /// An effect is made again by reducing its action once more, on a copy that is dropped: of the
    /// state that the action was applied to then, so that it is the effect that it was. Where that
    /// state is gone, it is made of the state as it is now; a reducer that refuses the action by
    /// now makes none, and the effect is reported. So is one whose slice has ended since.
    ///
    /// - Parameters:
    ///   - entries: as the ledger of the state that the store starts with has them.
    ///   - past: the action of a version; `nil` where history no longer reaches back.
    ///   - before: the state that the action of a version was applied to; `nil` where it can't be
    ///     made any more. Versions are asked for in the order of the entries.
    ///   - report: receives each, with what is done about it.
    package func resume(
        _ entries: [PendingEffects.Entry],
        past: @escaping @Sendable (UInt64) -> PastAction?,
        before: @escaping @Sendable (UInt64) -> State? = { _ in nil },
        report: @escaping @Sendable (PendingEffects.Entry, _ isRunAgain: Bool) -> Void
    ) {
        for entry in entries {
            let past = past(entry.version)
            let again = entry.onRestart == .retried ? past?.action : nil
            let (session, principal, trace) = (past?.session, past?.principal, past?.trace)
            let before = again == nil ? nil : before(entry.version)
            engine.perform { [owner] engine in
                guard case .machine(let machine) = owner.form, let runner = engine.ports.effects
                else { return }
                if let again,
                    let effect = machine.effect(
                        of: again,
                        appliedTo: before ?? owner.current,
                        from: session
                    ),
                    Self.isThere(effect.address, owner.current)
                {
                    report(entry, true)
                    let type = (try? engine.member(of: again))?.kind ?? entry.slice
                    let cause = EffectCause(
                        version: entry.version,
                        session: session,
                        principal: principal,
                        type: type,
                        trace: trace
                    )
                    effect.launch(runner, cause)
                    return
                }
                report(entry, false)
                var source = ActionSource(cause: entry.version, place: "StoreCore/PendingEffects")
                source.session = session
                source.principal = principal
                source.trace = trace
                if let report = Self.report(of: entry) {
                    engine.dispatchProgramAction(report, from: source)
                }
                let ended = PendingEffects.Internal.ended(version: entry.version)
                engine.dispatchProgramAction(ended, from: source)
            }
        }
    }

    private static func isThere(_ address: SliceAddress, _ state: State) -> Bool {
        let mount = State.modules.first { $0.name.isSame(as: address.module) }
        return mount?.slice.isThere(state, address.key) == true
    }

    private static func report(of entry: PendingEffects.Entry) -> (any Action)? {
        // Bytes are looked at: with a combining mark behind it, the slash is another character.
        let slash = entry.slice.utf8.firstIndex(of: UInt8(ascii: "/"))
        let name = String(entry.slice[..<(slash ?? entry.slice.endIndex)])
        guard let mount = State.modules.first(where: { $0.name.isSame(as: name) }),
            let action = mount.slice.interrupted(after: entry.version)
        else { return nil }
        guard let slash else { return action }
        return action.to(String(entry.slice[entry.slice.utf8.index(after: slash)...]))
    }
}
