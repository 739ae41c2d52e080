/// An action of history, with the data that a resumed effect needs.
package struct PastAction: Sendable {
    /// The action; `nil` if this program cannot read it.
    package let action: (any Action)?
    /// The session that led to the action; `nil` if no client with a session did.
    package let session: String?
    /// The principal that dispatched the action; `nil` if no principal did.
    package let principal: ActionPrincipal?
    /// The trace of the action; `nil` if the action has no trace.
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

/// The decision about an effect that had not ended when the store stopped.
package enum EffectResumption: Sendable, Equatable {
    /// The effect runs again.
    case runAgain
    /// The effect does not run again: its module asked for a report.
    case reported
    /// The effect should run again but cannot, for this reason.
    case impossible(String)
}

extension Core where State: RootState {
    /// Resumes the effects that had not ended when the store stopped. Effects with the policy
    /// ``RestartPolicy/retried`` run again, with the input from the ledger. The module of every
    /// other effect gets an action that reports the interruption.
    ///
    /// The actions of a resumed effect have the effect's cause. If history still has the action
    /// that began the effect, the new actions also have the session, principal and trace of that
    /// action.
    ///
    /// An effect does not run again if its slice has ended, or if this program cannot read its
    /// input.
    ///
    /// - Parameters:
    ///   - entries: the entries of the ledger in the state that the store starts with.
    ///   - pastAction: returns the action of a version; `nil` if history no longer has it.
    ///   - report: receives each entry with the decision about it.
    package func resume(
        _ entries: [PendingEffects.Entry],
        pastAction: @escaping @Sendable (UInt64) -> PastAction?,
        report: @escaping @Sendable (PendingEffects.Entry, EffectResumption) -> Void
    ) {
        for entry in entries {
            let past = pastAction(entry.version)
            engine.enqueueTask { [machine, stateOwner] engine in
                guard let machine, let runner = engine.ports.effects else { return }
                let type = past?.action.flatMap { try? engine.member(of: $0) }?.wireNameTemplate
                let cause = EffectCause(
                    version: entry.version,
                    session: past?.session,
                    principal: past?.principal,
                    wireNameTemplate: type ?? entry.slice,
                    trace: past?.trace
                )
                let (effect, decision) = machine.resumption(of: entry, past, in: stateOwner.current)
                report(entry, decision)
                if let effect { return effect.launch(runner, cause) }
                let source = cause.makeActionSource("StoreCore/PendingEffects")
                if let report = machine.interruptionAction(of: entry) {
                    engine.dispatchProgramAction(report, from: source)
                }
                let ended = PendingEffects.Internal.ended(version: entry.version)
                engine.dispatchProgramAction(ended, from: source)
            }
        }
    }
}

extension ModuleMachine {
    /// Makes the effect of a ledger entry again, and returns the effect and the decision about it.
    /// The effect is `nil` if it does not run again.
    fileprivate func resumption(
        of entry: PendingEffects.Entry,
        _ past: PastAction?,
        in state: Root
    ) -> (AnyEffect?, EffectResumption) {
        func impossible(because reason: String) -> (AnyEffect?, EffectResumption) {
            (nil, .impossible(reason))
        }
        guard entry.onRestart == .retried else { return (nil, .reported) }
        let (name, instance) = entry.moduleAndInstance
        guard let mount = modules.first(where: { $0.name.isSame(as: name) }) else {
            return impossible(because: "this program has no module '\(name)'")
        }
        guard let work = entry.work, let workCodec else {
            return impossible(because: "the server that began it has not kept its input")
        }
        let ownership = mount.slicePlace.ownership
        if ownership.isOwned, past == nil {
            return impossible(
                because: "it worked for a session or a user, whose name history no longer has"
            )
        }
        let owner = ownership.owner(of: past?.principal?.name, in: past?.session)
        let key = SliceKey(owner: owner, instance: instance)
        guard mount.slicePlace.isSliceThere(state, key) else {
            return impossible(because: "its slice is gone")
        }
        do {
            let address = SliceAddress(module: mount.name, key)
            guard
                let effect = try mount.boundModule?.effect(restoring: work, at: address, workCodec)
            else {
                return impossible(because: "its module makes no effect from its input")
            }
            return (effect, .runAgain)
        } catch {
            return impossible(because: "this program can't read the input of the effect: \(error)")
        }
    }

    /// Makes the action that reports an interrupted effect to its module; `nil` for no report.
    fileprivate func interruptionAction(of entry: PendingEffects.Entry) -> (any Action)? {
        let (name, instance) = entry.moduleAndInstance
        guard let mount = modules.first(where: { $0.name.isSame(as: name) }),
            let action = mount.module?.interrupted(after: entry.version)
        else { return nil }
        return instance.map { action.to($0) } ?? action
    }
}

extension PendingEffects.Entry {
    /// The name of the module, and the id of the instance if the module has instances.
    fileprivate var moduleAndInstance: (module: String, instance: String?) {
        // Compares bytes, because a slash with a combining mark behind it is a different
        // `Character`.
        guard let slash = slice.utf8.firstIndex(of: UInt8(ascii: "/")) else { return (slice, nil) }
        return (String(slice[..<slash]), String(slice[slice.utf8.index(after: slash)...]))
    }
}
