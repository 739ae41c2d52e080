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

/// The outcome of a start for an effect that had not ended.
package enum EffectResumption: Sendable, Equatable {
    /// It runs again.
    case runAgain
    /// It does not run again: its module has asked for a report.
    case reported
    /// It does not run again, although its module has asked for that; the reason.
    case impossible(String)
}

extension Core where State: RootState {
    /// Treats the effects that had not ended when the store stopped. Those with that policy run
    /// again, with the input that the ledger has; the module of each of the others gets an action
    /// about it. What they dispatch has the cause, and where history still has the action that
    /// began them, its session, its principal and its trace.
    ///
    /// An effect whose slice has ended does not run again, nor does one whose input this program
    /// can't read.
    ///
    /// - Parameters:
    ///   - entries: as the ledger of the state that the store starts with has them.
    ///   - past: the action of a version; `nil` where history no longer reaches back.
    ///   - report: receives each, with what is done about it.
    package func resume(
        _ entries: [PendingEffects.Entry],
        past: @escaping @Sendable (UInt64) -> PastAction?,
        report: @escaping @Sendable (PendingEffects.Entry, EffectResumption) -> Void
    ) {
        for entry in entries {
            let past = past(entry.version)
            engine.perform { [owner] engine in
                guard case .machine(let erased) = owner.form,
                    let machine = erased as? ModuleMachine<State>,
                    let runner = engine.ports.effects
                else { return }
                let again = machine.again(entry, past, in: owner.current)
                if case .success(let effect) = again {
                    report(entry, .runAgain)
                    let type = past?.action.flatMap { try? engine.member(of: $0) }?.kind
                    let cause = EffectCause(
                        version: entry.version,
                        session: past?.session,
                        principal: past?.principal,
                        type: type ?? entry.slice,
                        trace: past?.trace
                    )
                    return effect.launch(runner, cause)
                }
                if case .failure(let reason) = again { report(entry, reason.resumption) }
                var source = ActionSource(cause: entry.version, place: "StoreCore/PendingEffects")
                source.session = past?.session
                source.principal = past?.principal
                source.trace = past?.trace
                if let report = machine.interruption(of: entry) {
                    engine.dispatchProgramAction(report, from: source)
                }
                let ended = PendingEffects.Internal.ended(version: entry.version)
                engine.dispatchProgramAction(ended, from: source)
            }
        }
    }
}

/// Why an effect does not run again.
private struct NotAgain: Error {
    let resumption: EffectResumption
}

extension ModuleMachine {
    /// The effect of an entry of the ledger, made again.
    fileprivate func again(
        _ entry: PendingEffects.Entry,
        _ past: PastAction?,
        in state: Root
    ) -> Result<PendingEffect, NotAgain> {
        func no(_ reason: String) -> Result<PendingEffect, NotAgain> {
            .failure(NotAgain(resumption: .impossible(reason)))
        }
        guard entry.onRestart == .retried else {
            return .failure(NotAgain(resumption: .reported))
        }
        let (name, instance) = entry.place
        guard let mount = modules.first(where: { $0.name.isSame(as: name) }) else {
            return no("this program has no module '\(name)'")
        }
        guard let work = entry.work, let works else {
            return no("the server that began it has not kept its input")
        }
        let isOfSession = mount.slice.ownership == .session
        if isOfSession, past == nil {
            return no("it worked for a session, and history no longer has which")
        }
        let session = isOfSession ? past?.session ?? SessionName.shared : nil
        let key = SliceKey(session: session, instance: instance)
        guard mount.slice.isThere(state, key) else { return no("its slice is gone") }
        do {
            let address = SliceAddress(module: mount.name, key)
            guard let effect = try mount.slice.effect(again: work, at: address, works) else {
                return no("there is nothing to do")
            }
            return .success(effect)
        } catch {
            return no("this program can't read its input: \(error)")
        }
    }

    /// The action that reports to a module that an effect has not ended.
    fileprivate func interruption(of entry: PendingEffects.Entry) -> (any Action)? {
        let (name, instance) = entry.place
        guard let mount = modules.first(where: { $0.name.isSame(as: name) }),
            let action = mount.slice.interrupted(after: entry.version)
        else { return nil }
        return instance.map { action.to($0) } ?? action
    }
}

extension PendingEffects.Entry {
    /// The module, and the instance where it has many.
    fileprivate var place: (module: String, instance: String?) {
        // Bytes are looked at: with a combining mark behind it, the slash is another character.
        guard let slash = slice.utf8.firstIndex(of: UInt8(ascii: "/")) else { return (slice, nil) }
        return (String(slice[..<slash]), String(slice[slice.utf8.index(after: slash)...]))
    }
}
