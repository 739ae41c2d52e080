/// The values for a comparison of states. The comparison finds the changes that a function of the
/// whole state made.
package struct WholeStateComparison<Root: Sendable>: Sendable {
    /// The state before any action, without the copies of shared values.
    let initialState: Root
    /// The function that compares the bytes of values that `==` calls equal.
    let comparison: ByteComparison?
    /// The owners that the action has ended. Their slices are never restored.
    let endedOwners: [String]
    /// The state that the function got: the state after the module's reducer, with updated copies
    /// of shared values.
    let inputState: Root
    /// True after the store itself has updated copies of shared values. An updated copy may have
    /// changed the value with which every session begins.
    var hasUpdatedCopies = false

    /// Returns true if the action has ended this owner.
    func isEnded(_ owner: String) -> Bool { endedOwners.contains { $0.isSame(as: owner) } }
}

// Actions that may change every slice: the actions of the root state, and all actions if the root
// state has a reducer. A comparison of the slices before and after such an action finds the
// changes.

extension ModuleMachine {
    /// Calls the reducer of the module or the function of the action, and then the reducer of the
    /// root state. Leaves the state unchanged if a function throws.
    func editWholeState(
        _ state: inout Root,
        _ action: any Action,
        _ context: EditContext,
        by handler: ActionHandler<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        let (route, key) = (context.route, context.key)
        let before = state
        var isInModuleReducer = route.moduleIndex < modules.count
        do {
            var change = Change(
                changesState: false,
                isVisibleToSenderOnly: isVisibleToSenderOnly[route.moduleIndex]
            )
            var stateAfterModule = before
            if isInModuleReducer {
                change = try editSlice(&state, action, context, by: handler, &effect)
                stateAfterModule = state
            } else {
                _ = try handler.reduce(&state, action, key, context.origin, comparison)
            }
            isInModuleReducer = false
            if let rootReducer {
                try rootReducer(
                    &state,
                    key.instance.map { action.to($0) } ?? action,
                    context.origin,
                    key.instance
                )
                if route.isSessionAction { try endOwners(by: action, &state, &change) }
            }
            for module in storeManagedModules
            where !modules[module].slicePlace.isEqual(stateAfterModule, state) {
                throw WholeStateError.changedStoreManagedSlice(moduleNames[module])
            }
            let settling = WholeStateComparison(
                initialState: initialState,
                comparison: comparison,
                endedOwners: route.isSessionAction
                    ? (action as? any SessionAction)?.endedOwners ?? [] : [],
                inputState: stateAfterModule
            )
            return try settleWrites(&state, after: before, change, settling, &effect)
        } catch {
            state = before
            effect = nil
            throw isInModuleReducer ? error : Refusal.byWholeState(error)
        }
    }

    /// Normalizes the slices that the functions wrote, updates the copies of shared values, and
    /// returns the changes.
    private func settleWrites(
        _ state: inout Root,
        after before: Root,
        _ own: Change,
        _ settling: WholeStateComparison<Root>,
        _ effect: inout AnyEffect?
    ) throws -> Change {
        var changed = try changedSlices(&state, after: before, settling)
        if updateCopies(affectedBy: changed, &state, settling) {
            var settling = settling
            settling.hasUpdatedCopies = true
            changed = try changedSlices(&state, after: before, settling)
        }
        var change = Change(
            changesState: !changed.isEmpty,
            isVisibleToSenderOnly: own.isVisibleToSenderOnly
        )
        for edit in own.edits where edit.isRestart {
            change.add(SliceEdit(edit.moduleIndex, edit.key, changesSlice: false, isRestart: true))
        }
        for (module, keys) in changed {
            try admitChanges(keys, of: module, in: state, settling)
            change.add(keys, of: module)
            if isRestricted[module] {
                // If there are too many slices, a single entry stands for all of them.
                let isWhole = keys.count > Change.editsMax
                for slices in isWhole ? [keys] : keys.map({ [$0] }) {
                    let instance = isWhole ? nil : slices.first?.instance
                    let readers = readers(of: slices, module, before, state)
                    change.add(
                        SliceEdit(module, SliceKey(instance: instance, readers: readers))
                    )
                }
            }
            // A change that does not list the keys of its slices is visible to all sessions.
            if keys.count > Change.editsMax || !isVisibleToSenderOnly[module] {
                change.isVisibleToSenderOnly = false
            }
            let ended = endedSliceKeys(keys, of: module, before, state)
            for key in ended {
                effect = .cancellingAll(
                    of: SliceAddress(module: moduleNames[module], key),
                    then: effect
                )
            }
            endViews(ended, of: module, &state, &change)
            endTimers(ended, of: module, &state, &change)
        }
        return change
    }

    /// Returns the changed slices of each module.
    private func changedSlices(
        _ state: inout Root,
        after before: Root,
        _ settling: WholeStateComparison<Root>
    ) throws -> [(module: Int, keys: [SliceKey])] {
        var changed: [(module: Int, keys: [SliceKey])] = []
        for module in modules.indices {
            var keys = try modules[module].slicePlace.normalizeWrites(
                &state,
                after: before,
                settling
            )
            if isKeyedBySession[module], !keys.isEmpty,
                let sessions = modules[module].slicePlace.changedSessions(before, state)
            {
                keys = sessions.map { SliceKey(owner: $0) }
            }
            if !keys.isEmpty { changed.append((module, keys)) }
        }
        return changed
    }

    /// Updates the copies of values that the changed modules share or read. Leaves out the slices
    /// of the ended owners. Returns true if a changed module shares or reads a value.
    private func updateCopies(
        affectedBy changed: [(module: Int, keys: [SliceKey])],
        _ state: inout Root,
        _ settling: WholeStateComparison<Root>
    ) -> Bool {
        var hasCopies = false
        for (module, keys) in changed where hasSharedLinks[module] {
            hasCopies = true
            // The caller compares all slices once more and finds these changes, so `noted` is not
            // used.
            var noted = Change.none
            for key in keys where key.owner.map(settling.isEnded) != true {
                updateCopies(sharedLinksByModule[module], of: module, key, &state, &noted)
            }
        }
        return hasCopies
    }

    /// Refuses a change to the slice of a session that has ended: no later action would remove the
    /// slice.
    private func admitChanges(
        _ keys: [SliceKey],
        of module: Int,
        in state: Root,
        _ settling: WholeStateComparison<Root>
    ) throws(Refusal) {
        guard ownershipByModule[module].isOwned else { return }
        for case let owner? in keys.lazy.map(\.owner)
        where !settling.isEnded(owner) && refusesChanges(of: owner, in: state) {
            throw .ofEndedSession("The action would change a slice of a session that has ended.")
        }
    }

    /// Returns the keys of the slices that the action has removed.
    private func endedSliceKeys(
        _ keys: [SliceKey],
        of module: Int,
        _ before: Root,
        _ state: Root
    ) -> [SliceKey] {
        let slice = modules[module].slicePlace
        guard slice.cardinality != .one else { return [] }
        return keys.filter { slice.isSliceThere(before, $0) && !slice.isSliceThere(state, $0) }
    }
}

extension ModuleMachine {
    /// The reducers of the root state, as a single function.
    typealias CombinedRootReducer =
        @Sendable (inout Root, any Action, ReducerContextSource, _ instance: String?) throws -> Void

    /// Returns the reducers of the root state; `nil` if the root state has none.
    static func makeRootReducer() -> CombinedRootReducer? {
        let plain = Root.reducer
        guard let contextual = Root.contextualReducer else {
            guard let plain else { return nil }
            return { state, action, _, _ in try plain(&state, action) }
        }
        return { state, action, origin, instance in
            try plain?(&state, action)
            try contextual(&state, action, origin.context(of: instance))
        }
    }

    /// Makes the handlers of the root state's own actions.
    ///
    /// - Throws: ``ModuleError/foreignRootDispatchable(_:root:)``.
    static func wholeStateHandlers() throws(ModuleError) -> [ActionHandler<Root>] {
        let whole = RootMember<Root, Root>(\Root.self)
        return try Root.dispatchables.map { type throws(ModuleError) in
            guard let reducer = type.handling.maker.wholeStateReducer(of: whole) else {
                throw .foreignRootDispatchable("\(type)", root: "\(Root.self)")
            }
            return ActionHandler(type, .dispatchable, payloadType: type, reduce: reducer)
        }
    }
}

extension RootMember {
    /// Returns the reducer for actions of the type `A`, which changes the whole state with
    /// `update`. The reducer reports no change: the caller compares the states.
    package func updatingReducer<A: Action>(
        _ update: @escaping @Sendable (inout Value, A, ReducerContextSource) throws -> Void
    ) -> SliceReducer<Root> {
        { root, action, _, origin, _ in
            guard type(of: action) == A.self else { return .unchanged }
            let action: A = uncheckedCast(action)
            try change(&root) { try update(&$0, action, origin) }
            return .unchanged
        }
    }
}

/// A mistake of a function of the whole state. The action is refused: clients get a fixed text, and
/// the log gets the description of this error.
enum WholeStateError: Error, Equatable, CustomStringConvertible {
    /// The function changed the value that every owner begins with. The text names the type of the
    /// value.
    case changedFirstValue(String)
    /// The function changed the slice of this module, which only the store itself may change.
    case changedStoreManagedSlice(String)

    var description: String {
        switch self {
        case .changedFirstValue(let type):
            "an action can't change the default value of sessions or users (\(type)), which the "
                + "program sets; change the value of a single session or user"
        case .changedStoreManagedSlice(let module):
            "the slice '\(module)' is kept by the store itself; dispatch an action of that module"
        }
    }
}
