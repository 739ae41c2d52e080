/// Shows the changes of slices to those who observe them: presenters, and child stores.
///
/// Each applied action's change is shown by itself, in order, with the slice as it was before that
/// action and as it was behind it.
package final class SliceChanges<Root: RootState>: @unchecked Sendable {
    // Safety: `watched` belongs to the Core's thread; observers join and leave by tasks of the
    // Core.

    let presentation: (any RootPresentation<Root>)?
    private var watched: [[any WatchedSlice<Root>]] {
        didSet { counts = watched.map(\.count) }
    }
    /// How many observers each module has: asked for each action.
    private var counts: [Int]

    init(_ modules: Root.Modules, _ presentation: (any RootPresentation<Root>)? = nil) {
        self.presentation = presentation
        watched = Array(repeating: [], count: modules.count)
        counts = Array(repeating: 0, count: modules.count)
    }

    /// Whether the slice of a module has observers.
    func isWatched(_ module: Int) -> Bool { counts[module] > 0 }

    /// Shows what an action has changed.
    func show(_ change: Change, from old: Root, to new: Root, _ cause: SliceCause) {
        let cause = cause.for(presentation?.audience(of: cause.sessions) ?? [])
        for touch in change.touches {
            for slice in watched[touch.module] where slice.isMeant(by: touch) {
                slice.show(old, new, cause)
            }
        }
        guard let restarted = change.restarted, let presentation, !cause.isElsewhere else { return }
        let sessions = presentation.sessions(cause.sessions, notShowing: restarted, in: old)
        guard sessions.count > 0 else { return }
        for slice in watched[restarted] { slice.showBeginning(new, cause, for: sessions) }
    }

    func observe<State: ModuleState>(
        _ module: String,
        _ instance: String?,
        _ place: SlicePlace<Root, State>,
        _ core: Core<Root>,
        as name: String? = nil,
        presents: Bool = false,
        _ handler: @escaping @Sendable (SliceChange<State>) -> Void
    ) -> Subscription {
        let subscription = Subscriber<(SliceChange<State>) -> Void>(handler: handler, queue: nil)
        guard let index = Root.modules.firstIndex(where: { $0.name == module }) else {
            return Subscription {}
        }
        core.engine.perform { [self, owner = core.owner] _ in
            guard subscription.isActive else { return }
            let sessions = presentation?.firstAudience(of: index, in: owner.current) ?? []
            let slice = Watched(place, instance, name: name, presents: presents, subscription)
            watched[index].append(slice)
            slice.showFirst(owner.current, sessions)
        }
        return Subscription { [weak self, weak core] in
            guard subscription.end(), let self, let core else { return }
            core.engine.perform { _ in self.watched[index].removeAll { $0.isEnded } }
        }
    }
}

/// A slice before and after a change.
struct SliceChange<State: ModuleState>: Sendable {
    let old: State?
    let new: State?
    /// The action that changed it, and the sessions to present to.
    let cause: SliceCause
}

private protocol WatchedSlice<Root>: AnyObject {
    associatedtype Root
    /// Whether its observer has left.
    var isEnded: Bool { get }
    /// Whether an action that wrote a slice of the module wrote this one.
    func isMeant(by touch: Touch) -> Bool
    func show(_ old: Root, _ new: Root, _ cause: SliceCause)
    /// Shows a slice to a presenter as if it had begun, for these sessions.
    func showBeginning(_ root: Root, _ cause: SliceCause, for sessions: [String])
}

/// A slice with its observer.
private final class Watched<Root: RootState, State: ModuleState>: WatchedSlice {
    private let place: SlicePlace<Root, State>
    private let instance: String?
    private let name: String?
    private let presents: Bool
    private let subscription: Subscriber<(SliceChange<State>) -> Void>

    init(
        _ place: SlicePlace<Root, State>,
        _ instance: String?,
        name: String?,
        presents: Bool,
        _ subscription: Subscriber<(SliceChange<State>) -> Void>
    ) {
        self.place = place
        self.instance = instance
        self.name = name
        self.presents = presents
        self.subscription = subscription
    }

    var isEnded: Bool { !subscription.isActive }

    func isMeant(by touch: Touch) -> Bool {
        guard let touched = touch.instance, let instance else { return true }
        return touched == ExactText(instance)
    }

    func show(_ old: Root, _ new: Root, _ cause: SliceCause) {
        guard subscription.isActive, cause.audience?.includes(name) != false,
            !(presents && cause.isElsewhere)
        else { return }
        subscription.handler(
            SliceChange(
                old: place.read(old, instance),
                new: place.read(new, instance),
                cause: cause
            )
        )
    }

    func showFirst(_ root: Root, _ sessions: [String]) {
        subscription.handler(
            SliceChange(old: nil, new: place.read(root, instance), cause: .start(for: sessions))
        )
    }

    func showBeginning(_ root: Root, _ cause: SliceCause, for sessions: [String]) {
        guard presents, subscription.isActive, let state = place.read(root, instance) else {
            return
        }
        subscription.handler(SliceChange(old: nil, new: state, cause: cause.for(sessions)))
    }
}
