extension Core {
    /// Dispatches an action and waits until it is committed and every observer without a queue was
    /// called.
    ///
    /// - Returns: the version that the action made, and the state of that version.
    /// - Throws: ``DispatchError`` with one of these codes:
    ///   - `refused`: the reducer or an interceptor refuses the action.
    ///   - `invalidAction`: the action has no form for the journal.
    ///   - `mailboxFull`, `closed`: the mailbox does not take the action.
    ///   - `storageFull`, `journalFailed`, `journalUnreadable`, `contended`: the journal does not
    ///     store the action.
    ///   - `outcomeUnknown`: the append to the journal has no known result.
    @discardableResult
    public func apply(_ action: any Action) async throws(DispatchError) -> Applied<State> {
        try await apply(action, watch: nil)
    }

    /// Applies an action like ``apply(_:)``, for a client with a session and a principal. `watch`
    /// ends with the effects that follow.
    package func apply(
        _ action: any Action,
        watch: EffectWatch?,
        from session: String? = nil,
        by principal: ActionPrincipal? = nil
    ) async throws(DispatchError) -> Applied<State> {
        let member = try engine.validMember(of: action)
        let outcome = try await engine.outcome { completion in
            Envelope(
                members: [member],
                principal: principal,
                // The outcome must have the state of this action's own version. The Core may have
                // a newer state when it delivers the outcome.
                returnsState: true,
                watch: watch,
                session: session,
                completion: completion
            )
        }
        // The engine does not have the type of the state, but its state is always of this Core's
        // type.
        guard case .applied(_, let version, _, let state?) = outcome,
            let state = state.value as? State
        else { throw outcome.dispatchError ?? DispatchError(CoreFailure.unknown) }
        return Applied(version: version, state: state)
    }
}

/// The result of an awaited action.
public struct Applied<State: Sendable>: Sendable {
    /// The version that the action made: 1 for the first.
    public let version: UInt64
    /// The state of that version.
    public let state: State
}
