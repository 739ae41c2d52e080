// The ledger of views has an entry for each view that a session shows. The entries are a part of
// the state, so an entry is as durable as the action of its view.

/// The ledger of views: the slice of ``Presence`` in a root state, and the modules whose views the
/// ledger records.
struct PresenceLedger<Root: RootState>: Sendable {
    let moduleIndex: Int
    let place: SinglePlace<Root, Presence.State>
    /// For each module, the function that returns the visibility that an action reports; `nil` for
    /// a module without such actions.
    let visibilityReadersByModule: [(@Sendable (any Action) -> ViewVisibility?)?]

    /// Makes the ledger; `nil` if the root state does not mount ``Presence``.
    init?(of modules: Root.Modules) {
        guard let found = Root.singlePlace(of: Presence.self, in: modules) else { return nil }
        (moduleIndex, place) = found
        visibilityReadersByModule = modules.map(\.visibilityReader)
    }
}

extension RootState {
    /// The name of the first module that needs ``Presence``, if the root state does not mount
    /// ``Presence``. The name is `nil` if no module lacks ``Presence``.
    package static var moduleWithoutPresence: String? {
        guard PresenceLedger<Self>(of: modules) == nil else { return nil }
        return modules.first { $0.visibilityReader != nil }?.name
    }

    /// The actions that end the open views of this state, each with its session; `nil` stands for
    /// the shared session.
    package var viewEndActions: [(action: any Action, session: String?)] {
        guard let presence = PresenceLedger<Self>(of: Self.modules) else { return [] }
        let state = presence.place.read(self)
        return state.sessions.flatMap { session in
            state[session].map { slice in
                let end = viewEndAction(slice, in: session, presence)
                let gone = Presence.Internal.gone(slice: slice, session: session)
                return (end ?? gone, session.isSame(as: SessionName.shared) ? nil : session)
            }
        }
    }

    /// Returns the action that ends a view; `nil` if this program does not have the slice or the
    /// view any more.
    private func viewEndAction(
        _ slice: String,
        in session: String,
        _ presence: PresenceLedger<Self>
    ) -> (any Action)? {
        let parts = slice.split(separator: "/", maxSplits: 1).map(String.init)
        let instance = parts.count > 1 ? parts[1] : nil
        guard let module = Self.modules.firstIndex(where: { $0.name.isSame(as: parts[0]) }),
            presence.visibilityReadersByModule[module] != nil
        else { return nil }
        let mounted = Self.modules[module]
        let owner = mounted.slicePlace.ownership == .session ? session : nil
        guard (mounted.slicePlace.cardinality == .instances) == (instance != nil),
            mounted.slicePlace.isSliceThere(self, SliceKey(owner: owner, instance: instance)),
            let action = mounted.visibilityAction(on: .hidden)
        else { return nil }
        return instance.map { action.to($0) } ?? action
    }
}

extension ModuleMachine {
    /// Refuses an action that reports a view as shown if the session shows the view already.
    /// Refuses an action that reports a view as hidden if the session does not show the view.
    func admitView(_ action: any Action, _ context: EditContext, in root: Root) throws(Refusal) {
        let (module, key) = (context.moduleIndex, context.key)
        guard let presenceLedger, let report = presenceLedger.visibilityReadersByModule[module],
            let change = report(action)
        else { return }
        let state = presenceLedger.place.read(root)
        let slice = SliceAddress(module: moduleNames[module], key).path
        let isShown = state.shows(slice, in: context.session ?? SessionName.shared)
        if change == .visible, isShown {
            throw Refusal(reason: "This session shows '\(slice)' already.")
        }
        // If the slice does not exist, a later check refuses the action with a better reason.
        if change == .hidden, !isShown, modules[module].slicePlace.isSliceThere(root, key) {
            throw Refusal(reason: "This session does not show '\(slice)'.")
        }
    }

    /// Adds the view that an action reports as shown to the ledger, or removes the view that an
    /// action reports as hidden. After a stop, removes all views of the stopped slice.
    func updatePresence(
        by action: any Action,
        _ kind: ActionHandler<Root>.Kind,
        _ context: EditContext,
        _ root: inout Root,
        _ change: inout Change
    ) {
        let (module, key) = (context.moduleIndex, context.key)
        guard let presenceLedger, let report = presenceLedger.visibilityReadersByModule[module]
        else { return }
        let slice = SliceAddress(module: moduleNames[module], key).path
        let session = context.session ?? SessionName.shared
        switch (kind, kind == .ui ? report(action) : nil) {
        case (.stop, _): endViews([key], of: module, &root, &change)
        case (_, .visible?): changePresence(&root, &change) { $0.insert(slice, in: session) }
        case (_, .hidden?):
            let isOver = hasEnded(session, in: root)
            changePresence(&root, &change) {
                $0.remove(slice, in: session, hasSessionEnded: isOver)
            }
        default: break
        }
    }

    /// Removes the views of slices that have ended.
    func endViews(_ keys: [SliceKey], of module: Int, _ root: inout Root, _ change: inout Change) {
        guard let presenceLedger, presenceLedger.visibilityReadersByModule[module] != nil,
            !keys.isEmpty
        else {
            return
        }
        let isOver: (String) -> Bool = { [root] in self.hasEnded($0, in: root) }
        changePresence(&root, &change) { state in
            for key in keys {
                let slice = SliceAddress(module: moduleNames[module], key).path
                if let session = key.owner {
                    state.remove(slice, in: session, hasSessionEnded: isOver(session))
                } else {
                    state.remove(slice, hasSessionEnded: isOver)
                }
            }
        }
    }

    /// Removes the views of the session's own slices. The views of shared slices stay until their
    /// streams have ended.
    func endViews(ofSession session: String, _ root: inout Root, _ change: inout Change) {
        guard let presenceLedger else { return }
        let own = modulesWithOwnedSlices.filter {
            presenceLedger.visibilityReadersByModule[$0] != nil
        }.map {
            moduleNames[$0]
        }
        changePresence(&root, &change) { state in
            state.remove(in: session, hasSessionEnded: true) { slice in
                own.contains { slice.isSame(as: $0) || slice.hasPrefix($0 + "/") }
            }
        }
    }

    private func changePresence(
        _ root: inout Root,
        _ change: inout Change,
        _ body: (inout Presence.State) -> Void
    ) {
        guard let presenceLedger else { return }
        let old = presenceLedger.place.read(root)
        var new = old
        body(&new)
        let sessions = new.table.names(changedSince: old.table)
        guard !sessions.isEmpty else { return }
        presenceLedger.place.write(new, &root)
        change.changesState = true
        change.add(sessions.lazy.map { SliceKey(owner: $0) }, of: presenceLedger.moduleIndex)
    }
}
