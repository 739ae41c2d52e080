// The reduction of one action.

extension ModuleMachine {
    package func edit(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        version: UInt64,
        from session: String?,
        effect: inout PendingEffect?
    ) throws -> Change {
        let (action, key) = addressed(action, route.module, session)
        try admitSession(key, in: state)
        if route.isForSessions { try admitSessions(named: action, in: state) }
        if handler(of: route)?.kind == .ui {
            try changes?.presentation?.admit(route.module, key, from: session, in: state)
            try admitView(action, route.module, key, from: session, in: state)
        }
        return try editUnchecked(&state, action, by: route, key, session, version: version, &effect)
    }

    /// Applies an action without checks. The caller has made them, or replays the action.
    @inline(__always)
    func editUnchecked(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        _ key: SliceKey,
        _ session: String?,
        version: UInt64,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        guard let handler = handler(of: route) else {
            return try request(action, route.module, key, state, &effect)
        }
        if route.isWhole {
            return try editWhole(
                &state,
                action,
                by: handler,
                route,
                key,
                session,
                version: version,
                &effect
            )
        }
        return try editSlice(
            &state,
            action,
            by: handler,
            route,
            key,
            session,
            version: version,
            &effect
        )
    }

    /// Passes on the effect of a use case that a client calls. Refuses the call if its slice is not
    /// there.
    func request(
        _ action: any Action,
        _ module: Int,
        _ key: SliceKey,
        _ state: Root,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        try modules[module].bound?.check(state, key)
        effect = (action as? ClientRequest)?.effect
        return Change(isChange: false, isOfSession: hasSessions)
    }

    /// Reduces an action for the slice of its module.
    @inline(__always)
    func editSlice(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        _ route: ActionRoute,
        _ key: SliceKey,
        _ session: String?,
        version: UInt64,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        guard hasLedger[route.module] else {
            return try editPlainSlice(&state, action, by: handler, route, key: key, &effect)
        }
        // A function of its own, because an optional copy of the state here would cost each action
        // of each module a look-up of metadata.
        return try editLedgerSlice(
            &state,
            action,
            by: handler,
            route,
            key,
            session,
            version: version,
            &effect
        )
    }

    /// Reduces an action of a module with a ledger. Enters the effects that outlive the server, and
    /// the views that sessions show. Leaves the state unchanged if an effect cannot be entered.
    @inline(never)
    private func editLedgerSlice(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        _ route: ActionRoute,
        _ key: SliceKey,
        _ session: String?,
        version: UInt64,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        let module = route.module
        let before = state
        var change = try editPlainSlice(&state, action, by: handler, route, key: key, &effect)
        enterView(by: action, handler.kind, of: module, key, from: session, &state, &change)
        guard hasDurableEffects[module], let ledger, let effect else { return change }
        do {
            try enter(effect, version: version, in: ledger, &state, &change)
        } catch {
            state = before
            throw error
        }
        return change
    }

    /// Reduces an action for the slice of its module, without the ledgers.
    @inline(__always)
    private func editPlainSlice(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        _ route: ActionRoute,
        key: SliceKey,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        let module = route.module
        var change =
            if handler.kind == .start, seesOthers[module] {
                try start(&state, action, by: handler, of: module, key: key)
            } else {
                try editMember(&state, action, by: handler, of: module, key: key, &effect)
            }
        if handler.kind == .start || handler.kind == .stop {
            effect = lifecycleEffect(after: action, by: handler, of: module, key, state)
        }
        if route.isForSessions { endSession(by: action, &state, &change) }
        return change
    }

    /// Returns the effect of a start or a stop: it cancels all effects of the slice, and then
    /// begins the effect of the start.
    func lifecycleEffect(
        after action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        _ key: SliceKey,
        _ state: Root
    ) -> PendingEffect {
        let address = SliceAddress(module: names[module], key)
        return .cancellingAll(of: address, then: handler.effectAfterStart?(state, action, address))
    }

    /// Starts a module that reads shared values.
    ///
    /// The reducer of a start makes a slice with empty copies, which are filled in afterwards.
    /// Until then an existing slice looks changed, so this function compares the slices once more.
    func start(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        key: SliceKey
    ) throws -> Change {
        let before = state
        var effect: PendingEffect?
        let change = try editMember(&state, action, by: handler, of: module, key: key, &effect)
        guard change.isChange, isSame(module, before, state) else { return change }
        var same = Change(isChange: false, isOfSession: change.isOfSession)
        for touch in change.edits where touch.isRestart {
            same.touch(SliceEdit(touch.module, touch.key, isChange: false, isRestart: true))
        }
        return same
    }

    @inline(__always)
    func editMember(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        key: SliceKey,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        if isKeyedBySession[module] {
            return try editParts(&state, action, by: handler, of: module, key: key, &effect)
        }
        let result = try handler.reduce(&state, action, key, comparison)
        // Most actions have no effect, and an assignment of `nil` would cost a release.
        if let asked = result.effect { effect = asked }
        var change = Change(isChange: result.isChange, isOfSession: isOfSession[module])
        if result.isChange || result.isRestart {
            change.touch(
                SliceEdit(module, key, isChange: result.isChange, isRestart: result.isRestart)
            )
        }
        if result.isChange {
            if hasLinks[module] { updateCopies(links[module], of: module, key, &state, &change) }
        } else if comparison == nil, hasLinks[module] {
            // Without a comparison, the slice may have new bytes that `==` calls equal. Readers get
            // a copy of these bytes, too.
            updateCopies(links[module], of: module, key, &state, &change)
        }
        return change
    }

    /// Reduces an action for a slice that has a part for each session.
    func editParts(
        _ state: inout Root,
        _ action: any Action,
        by handler: ActionHandler<Root>,
        of module: Int,
        key: SliceKey,
        _ effect: inout PendingEffect?
    ) throws -> Change {
        let before = state
        let result = try handler.reduce(&state, action, key, comparison)
        if let asked = result.effect { effect = asked }
        var change = Change(isChange: result.isChange, isOfSession: isOfSession[module])
        if result.isChange {
            touch(&change, module, before, state)
            if hasLinks[module] { updateCopies(links[module], of: module, key, &state, &change) }
        }
        return change
    }

    /// True if the slice of a module has the same bytes in both states.
    func isSame(_ module: Int, _ a: Root, _ b: Root) -> Bool {
        let slice = modules[module].slice
        guard slice.isEqual(a, b), let old = slice.value(a), let new = slice.value(b) else {
            return false
        }
        return comparison?(old, new) ?? true
    }
}
