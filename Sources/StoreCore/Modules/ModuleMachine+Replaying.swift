// Replayed actions, which are not checked again.

extension ModuleMachine {
    package func replay(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change {
        if route.isWhole { show(&state, to: session) }
        let (action, key) = addressed(action, route.module, session)
        return try editUnchecked(&state, action, by: route, key, session, version: version, &effect)
    }

    /// A reducer for replays, which makes no checks and drops effects.
    package var replaying: @Sendable (inout Root, any Action, UInt64, String?) throws -> Void {
        { [self] state, action, version, session in
            guard let route = route(of: action) else { return }
            var dropped: PendingEffect?
            let type = Swift.type(of: action)
            if type != AddressedAction.self, type != ClientRequest.self,
                ownership[route.module] != .session
            {
                if route.isWhole { show(&state, to: session) }
                _ = try editUnchecked(
                    &state,
                    action,
                    by: route,
                    .only,
                    session,
                    version: version,
                    &dropped
                )
                return
            }
            _ = try replay(
                &state,
                action,
                by: route,
                version: version,
                from: session,
                effect: &dropped
            )
        }
    }
}

extension StateMachine {
    /// Reduces an action and drops its effect. An action without a route changes nothing.
    @discardableResult
    package func edit(
        _ state: inout State,
        _ action: any Action,
        version: UInt64,
        from session: String? = nil
    ) throws -> Change {
        guard let route = route(of: action) else { return .none }
        show(&state, to: session)
        var dropped: PendingEffect?
        return try edit(
            &state,
            action,
            by: route,
            version: version,
            from: session,
            effect: &dropped
        )
    }
}
