/// The data that the reduction of an action needs in addition to the action itself.
struct EditContext {
    let route: ActionRoute
    /// The key of the slice that the action is for.
    let key: SliceKey
    /// The session that the action comes from; `nil` if no client dispatched the action.
    let session: String?
    let origin: ReducerContextSource

    @inline(__always)
    var moduleIndex: Int { route.moduleIndex }
}

// The reduction of one action.

extension ModuleMachine {
    package func reduce(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        from session: String?,
        _ origin: ReducerContextSource,
        effect: inout AnyEffect?
    ) throws -> Change {
        let (action, key) = actionAndSliceKey(action, route.moduleIndex, session, origin)
        try admitOwner(key, in: state)
        if hasUserSlices, ownershipByModule[route.moduleIndex] == .principal {
            try admitUser(key, of: route.moduleIndex, in: state)
        }
        if isRestricted[route.moduleIndex] { try admitReader(route, key, origin, in: state) }
        if route.isSessionAction { try admitSessions(namedBy: action, in: state) }
        let context = EditContext(route: route, key: key, session: session, origin: origin)
        if handler(of: route)?.kind == .ui {
            try sliceObservers?.presentation?.admitViewAction(
                route.moduleIndex,
                key,
                from: session,
                in: state
            )
            try admitView(action, context, in: state)
        }
        return try editUnchecked(&state, action, context, &effect)
    }

    /// Applies an action without checks: the caller has checked the action, or replays the action.
    @inline(__always)
    private func editUnchecked(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        guard let handler = handler(of: context.route) else {
            return try applyUseCaseCall(action, context, state, &effect)
        }
        return context.route.mayChangeAllSlices
            ? try editWholeState(&state, action, context, by: handler, &effect)
            : try editSlice(&state, action, context, by: handler, &effect)
    }

    /// Sets `effect` to the work of a use case that a client calls. Refuses the call if the
    /// module's slice does not exist.
    private func applyUseCaseCall(
        _ action: any Action,
        _ context: EditContext,
        _ state: Root,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        try modules[context.moduleIndex].boundModule?.requireSlice(state, context.key)
        effect = (action as? ClientRequest)?.effect
        return Change(changesState: false, isVisibleToSenderOnly: hasOwnedSlices)
    }

    /// Reduces an action for the slice of its module.
    @inline(__always)
    func editSlice(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        guard mayChangeLedgers[context.moduleIndex] || handler.kind == .start else {
            return try editSliceWithoutLedgers(&state, action, context, by: handler, &effect)
        }
        // A separate function changes the ledgers. Here, an optional copy of the state would cost
        // every action a look-up of type metadata.
        return try editSliceWithLedgers(&state, action, context, by: handler, &effect)
    }

    /// Reduces an action that may change a ledger. The ledgers get entries for effects that outlive
    /// a restart, for views that sessions show, and for timers. Leaves the state unchanged if an
    /// effect or a timer cannot be entered.
    @inline(never)
    private func editSliceWithLedgers(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        let before = state
        do {
            var change = try editSliceWithoutLedgers(&state, action, context, by: handler, &effect)
            if isRestricted[context.moduleIndex], change.changesState {
                addReaders(of: context.key, context.moduleIndex, before, state, to: &change)
            }
            updatePresence(by: action, handler.kind, context, &state, &change)
            if handler.kind == .start || handler.kind == .stop {
                endTimers([context.key], of: context.moduleIndex, &state, &change)
            }
            guard let effect else { return change }
            if scheduleLedger != nil, !effect.timerChanges.isEmpty {
                try enterTimers(effect.timerChanges, context, &state, &change)
            }
            guard hasDurableEffects[context.moduleIndex], let effectLedger else { return change }
            try effectLedger.enter(
                effect,
                version: context.origin.version,
                workCodec,
                &state,
                &change
            )
            return change
        } catch {
            state = before
            throw error
        }
    }

    /// Reduces an action for the slice of its module, without the ledgers.
    @inline(__always)
    private func editSliceWithoutLedgers(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        var change =
            if handler.kind == .start, readsSharedValues[context.moduleIndex] {
                try startSlice(&state, action, context, by: handler)
            } else {
                try editMember(&state, action, context, by: handler, &effect)
            }
        if handler.kind == .start || handler.kind == .stop {
            effect = lifecycleEffect(after: action, context, by: handler, state)
        }
        if context.route.isSessionAction { try endOwners(by: action, &state, &change) }
        if scheduleLedger == nil, let effect, !effect.timerChanges.isEmpty {
            try enterTimers(effect.timerChanges, context, &state, &change)
        }
        return change
    }

    /// Returns the effect of a start or a stop. This effect cancels all effects of the slice, and
    /// then begins the effect of the start.
    private func lifecycleEffect(
        after action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ state: Root
    ) -> AnyEffect {
        let address = SliceAddress(module: moduleNames[context.moduleIndex], context.key)
        let next = handler.effectAfterStart?(state, action, address)
        return .cancellingAll(of: address, then: next)
    }

    /// Starts a module that reads shared values.
    ///
    /// The reducer of a start makes a slice with empty copies of shared values. Until the copies
    /// are filled in, the new slice differs even from an old slice with the same values. So this
    /// function compares the slices once more after the copies are filled in.
    private func startSlice(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>
    ) throws -> Change {
        let before = state
        var effect: AnyEffect?
        let change = try editMember(&state, action, context, by: handler, &effect)
        guard change.changesState, hasSameSlice(ofModule: context.moduleIndex, before, state) else {
            return change
        }
        var same = Change(
            changesState: false,
            isVisibleToSenderOnly: change.isVisibleToSenderOnly
        )
        for edit in change.edits where edit.isRestart {
            same.add(SliceEdit(edit.moduleIndex, edit.key, changesSlice: false, isRestart: true))
        }
        return same
    }

    @inline(__always)
    private func editMember(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        let (module, key) = (context.moduleIndex, context.key)
        if isKeyedBySession[module] {
            return try editSessionParts(&state, action, context, by: handler, &effect)
        }
        let result = try handler.reduce(&state, action, key, context.origin, comparison)
        // Most actions have no effect. An assignment of `nil` would cost the release of a
        // reference.
        if let asked = result.effect { effect = asked }
        var change = Change(
            changesState: result.changesSlice,
            isVisibleToSenderOnly: isVisibleToSenderOnly[module]
        )
        if result.changesSlice || result.isRestart {
            change.add(
                SliceEdit(
                    module,
                    key,
                    changesSlice: result.changesSlice,
                    isRestart: result.isRestart
                )
            )
        }
        // If there is no comparison of bytes, a slice that `==` calls equal may have new bytes. So
        // the copies of the slice's shared value are updated, too.
        if result.changesSlice || comparison == nil, hasSharedLinks[module] {
            updateCopies(sharedLinksByModule[module], of: module, key, &state, &change)
        }
        return change
    }

    /// Reduces an action for a slice that has a part for each session.
    private func editSessionParts(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        let (module, key) = (context.moduleIndex, context.key)
        let before = state
        let result = try handler.reduce(&state, action, key, context.origin, comparison)
        if let asked = result.effect { effect = asked }
        var change = Change(
            changesState: result.changesSlice,
            isVisibleToSenderOnly: isVisibleToSenderOnly[module]
        )
        if result.changesSlice {
            addEdits(to: &change, module, before, state)
            if hasSharedLinks[module] {
                updateCopies(sharedLinksByModule[module], of: module, key, &state, &change)
            }
        }
        return change
    }

    /// Returns true if the slice of a module has the same bytes in both states.
    private func hasSameSlice(ofModule module: Int, _ a: Root, _ b: Root) -> Bool {
        let slice = modules[module].slicePlace
        guard slice.isEqual(a, b), let old = slice.memberValue(a), let new = slice.memberValue(b)
        else {
            return false
        }
        return comparison?(old, new) ?? true
    }
}

// The reduction of replayed actions, which are not checked again.

extension ModuleMachine {
    package func replay(
        _ state: inout Root,
        _ action: any Action,
        by route: ActionRoute,
        from session: String?,
        _ origin: ReducerContextSource,
        effect: inout AnyEffect?
    ) throws -> Change {
        if route.mayChangeAllSlices { setReader(of: &state, to: session, as: origin.principal) }
        let (action, key) = actionAndSliceKey(action, route.moduleIndex, session, origin)
        let context = EditContext(route: route, key: key, session: session, origin: origin)
        return try editUnchecked(&state, action, context, &effect)
    }

    /// The reducer of replays. This reducer makes no checks, and drops effects.
    package var replayReducer:
        @Sendable (inout Root, any Action, _ session: String?, ReducerContextSource) throws -> Void
    {
        { [self] state, action, session, origin in
            guard let route = route(of: action) else { return }
            var dropped: AnyEffect?
            let type = Swift.type(of: action)
            guard type != AddressedAction.self, type != ClientRequest.self,
                !ownershipByModule[route.moduleIndex].isOwned
            else {
                _ = try replay(
                    &state,
                    action,
                    by: route,
                    from: session,
                    origin,
                    effect: &dropped
                )
                return
            }
            if route.mayChangeAllSlices { setReader(of: &state, to: session, as: origin.principal) }
            let context = EditContext(route: route, key: .only, session: session, origin: origin)
            _ = try editUnchecked(&state, action, context, &dropped)
        }
    }
}

extension ModularReducer {
    /// Reduces a sender's action, and drops the effect of the action. An action without a route
    /// changes nothing.
    package func reduce(
        _ state: inout State,
        _ action: any Action,
        as principal: ActionPrincipal?,
        session: String?
    ) throws {
        let envelope = Envelope(
            members: [],
            principal: principal,
            session: session,
            completion: UnawaitedCompletion()
        )
        try withExtendedLifetime(envelope) {
            let origin = ReducerContextSource(version: 1, time: 0, envelope)
            _ = try reduce(&state, action, from: session, origin)
        }
    }

    /// Reduces an action and drops its effect. An action without a route changes nothing.
    @discardableResult
    package func reduce(
        _ state: inout State,
        _ action: any Action,
        from session: String? = nil,
        _ origin: ReducerContextSource
    ) throws -> Change {
        guard let route = route(of: action) else { return .none }
        setReader(of: &state, to: session, as: origin.principal)
        var dropped: AnyEffect?
        return try reduce(&state, action, by: route, from: session, origin, effect: &dropped)
    }
}
