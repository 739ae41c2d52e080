package import StoreCore
package import StorePlatform
import StoreWire

extension Replay {
    /// A state from which later states can be made.
    package struct Base {
        package var state: State
        package let version: UInt64

        package init(state: State, version: UInt64) {
            self.state = state
            self.version = version
        }
    }

    /// Returns the state of `version`.
    package func state(
        at version: UInt64,
        until deadline: Deadline? = nil,
        showing progress: ReplayProgress? = nil
    ) throws(ReplayError) -> State {
        var base = try base(for: version)
        try advance(
            &base.state,
            after: base.version,
            through: version,
            until: deadline,
            showing: progress
        )
        return base.state
    }

    /// Returns the newest known state at or before `version`.
    ///
    /// A snapshot is used if the state's type still has the form that it had in the snapshot.
    /// Otherwise all actions are reduced again from the beginning of history. If the beginning is
    /// gone, the snapshot is decoded anyway, and its fields have to fit. The same is true of a
    /// first state that was given in a file.
    package func base(for version: UInt64) throws(ReplayError) -> Base {
        let reachesBack = journal.oldest == 1
        let found: StateSnapshot?
        do { found = try journal.snapshot(atOrBefore: version) } catch { throw .journal(error) }
        guard let snapshot = found else {
            if reachesBack { return try beginning() }
            throw .gone(oldest: journal.oldestSnapshot ?? journal.version)
        }
        guard snapshot.version + 1 >= journal.oldest else {
            throw .gone(oldest: journal.oldestSnapshot ?? journal.version)
        }
        if !isRead(snapshot), reachesBack { return try beginning() }
        do {
            let state = try read(snapshot)
            return Base(state: state, version: snapshot.version)
        } catch {
            if reachesBack { return try beginning() }
            throw .foreignSnapshot(snapshot.version, error.messageForOperators)
        }
    }

    /// True if a snapshot has the form that the state's type has today.
    package func isRead(_ snapshot: StateSnapshot) -> Bool {
        GivenState.isForm(snapshot.form, form)
    }

    private func read(_ snapshot: StateSnapshot) throws(JSONError) -> State {
        var state = try JSONDecoder(limits: .unbounded).decode(State.self, from: snapshot.state)
        connect(&state)
        return state
    }

    /// Returns the state before the first action: the program's initial state, unless history began
    /// with a given one.
    private func beginning() throws(ReplayError) -> Base {
        let given: StateSnapshot?
        do { given = try GivenState.began(journal) } catch { throw .journal(error) }
        guard let given else { return Base(state: initial, version: 0) }
        do {
            let state = try read(given)
            return Base(state: state, version: 0)
        } catch {
            throw .foreignBeginning("\(error.pointer): \(error.messageForOperators)")
        }
    }

    /// Returns the journal's state of a version, for a store that continues from it.
    ///
    /// - Throws: ``RecoveryError``, with a text for the operator.
    func recover(
        _ version: UInt64,
        showing progress: ReplayProgress?
    ) throws(RecoveryError) -> State {
        do {
            return try state(at: version, showing: progress)
        } catch {
            throw RecoveryError(error, version: version)
        }
    }
}

/// The reason why a store can't continue from its journal, with the remedy.
package struct RecoveryError: Error, CustomStringConvertible {
    package let description: String

    /// Makes the error for a first state that can't be saved.
    package init(beginningIn error: JournalError) {
        description =
            "history can't begin, because its first state can't be written: \(error)\n"
            + "repair the disk of --data, and start again"
    }

    /// Makes the error for forms of the program that can't be saved.
    init(registeringIn error: JournalError) {
        description =
            "the forms of this program's actions can't be written to the history: \(error)\n"
            + "repair the disk of --data, and start again"
    }

    package init(_ error: ReplayError, version: UInt64) {
        description =
            switch error {
            case .unreadable(let records):
                "the journal has actions that this program can't read: "
                    + records.map { "\($0.type) (first at version \($0.version): \($0.reason))" }
                    .joined(separator: "; ")
                    + ". Register a migration for each: StoreServer(…).migrating("
                    + ".action(\"\(records.first?.type ?? "")\", from: OldFields.self) { … }), or "
                    + ".dropped(\"\(records.first?.type ?? "")\") if it has no meaning any more"
            case .diverged(let version, let reason):
                "the reducer refuses the action of version \(version), which it applied when the "
                    + "journal was written (\(reason)). A reducer must accept all old actions"
            case .foreignSnapshot(let version, let reason):
                "the state's type has changed since the snapshot of version \(version), which no "
                    + "longer fits (\(reason)), and the actions before it are no longer kept"
            case .foreignBeginning(let reason):
                "history began with the state of a file, which no longer fits the state's type "
                    + "(\(reason)). Let the type's own init(from:) read the old form"
            case .gone(let oldest):
                "history begins at version \(oldest), and has no state to begin from"
            case .tooLong(let version): "replaying was given up at version \(version)"
            case .journal(let error): "the journal can't be read: \(error)"
            }
    }
}
