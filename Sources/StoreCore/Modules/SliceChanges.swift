/// Shows the changes of slices to those who observe them: presenters, and child stores.
///
/// Each applied action's change is shown by itself, in order, with the slice as it was before that
/// action and as it was behind it.
package final class SliceChanges<Root: RootState>: @unchecked Sendable {
    // Safety: `watched` belongs to the Core's thread; observers join and leave by tasks of the
    // Core.

    let presentation: (any RootPresentation<Root>)?
    private var watched: [[any WatchedSlices<Root>]] {
        didSet { count() }
    }
    /// The modules with one slice that has a part for each session.
    private let isInParts: [Bool]
    /// How many observe the slices of each module, presenters of the whole state among them: asked
    /// for each action.
    private var counts: [Int]
    /// The presenters of the whole state, in their order.
    private var presenters: [WholePresenter<Root>] = [] {
        didSet { count() }
    }

    init(_ modules: Root.Modules, _ presentation: (any RootPresentation<Root>)? = nil) {
        self.presentation = presentation
        watched = Array(repeating: [], count: modules.count)
        counts = Array(repeating: 0, count: modules.count)
        isInParts = modules.map { $0.slice.ownership == .partForSession }
    }

    private func count() { counts = watched.map { $0.count + presenters.count } }

    /// Whether the slices of a module have observers.
    func isWatched(_ module: Int) -> Bool { counts[module] > 0 }

    /// Shows what an action has changed.
    func show(_ change: Change, from old: Root, to new: Root, _ cause: SliceCause) {
        let shared = presentation == nil ? nil : SessionName.shared
        let cause = cause.for(cause.session ?? shared)
        var partsShown: Int?
        for touch in change.touches where touch.isChange && !isListed(touch, in: change) {
            // A slice that has a part for each session is one slice to those who observe it.
            guard !isInParts[touch.module] else {
                if partsShown != touch.module { show(.only, of: touch.module, old, new, cause) }
                partsShown = touch.module
                continue
            }
            show(touch.key, of: touch.module, old, new, cause)
        }
        if change.isChange { for presenter in presenters { presenter.show(old, new, cause) } }
        guard let session = cause.session, !cause.isElsewhere else { return }
        change.touches.forEach { touch in
            guard touch.isRestart, presentation?.isHidden(touch, from: session, in: old) == true
            else { return }
            for slices in watched[touch.module] { slices.showBeginning(touch.key, new, cause) }
        }
    }

    private func show(
        _ key: SliceKey,
        of module: Int,
        _ old: Root,
        _ new: Root,
        _ cause: SliceCause
    ) {
        for slices in watched[module] { slices.show(key, old, new, cause) }
    }

    /// Whether a touch means all slices of a module, and each of those that sessions have is noted
    /// by itself.
    private func isListed(_ touch: Touch, in change: Change) -> Bool {
        touch.key == .only && !isInParts[touch.module]
            && change.touches.contains {
                $0.isChange && $0.module == touch.module && $0.key.session != nil
            }
    }

    /// Adds a presenter of the whole state, and shows it the state as it is.
    func present(_ presenter: WholePresenter<Root>, of core: Core<Root>) {
        core.engine.perform { [self, owner = core.owner] _ in
            presenters.append(presenter)
            // No session asked.
            var root = owner.current
            owner.machine?.show(&root, to: nil)
            presenter.showFirst(root)
        }
    }

    func observe<State: ModuleState>(
        _ module: String,
        _ key: SliceKey?,
        _ place: SlicePlace<Root, State>,
        _ core: Core<Root>,
        as name: String? = nil,
        presents: Bool = false,
        seesAll: Bool = false,
        _ handler: @escaping @Sendable (SliceChange<State>) -> Void
    ) -> PlainCommand {
        let subscription = Subscriber<(SliceChange<State>) -> Void>(handler: handler, queue: nil)
        guard let index = Root.modules.firstIndex(where: { $0.name == module }) else {
            return PlainCommand {}
        }
        core.engine.perform { [self, owner = core.owner] _ in
            guard subscription.isActive else { return }
            let slices = Watched(place, key, name: name, presents: presents, subscription)
            slices.seesAll = seesAll
            watched[index].append(slices)
            let audience = presentation?.firstAudience(of: index, in: owner.current)
            slices.showFirst(owner.current) { audience?($0) }
        }
        return PlainCommand { [weak self, weak core] in
            guard subscription.end(), let self, let core else { return }
            core.engine.perform { _ in self.watched[index].removeAll { $0.isEnded } }
        }
    }
}

/// A slice before and after a change.
struct SliceChange<State: ModuleState>: Sendable {
    let old: State?
    let new: State?
    /// Which slice of the module it is.
    let key: SliceKey
    /// The action that changed it, and the session to present to.
    let cause: SliceCause
}

private protocol WatchedSlices<Root>: AnyObject {
    associatedtype Root
    /// Whether their observer has left.
    var isEnded: Bool { get }
    /// Shows what an action did to a slice, where the observer observes it.
    func show(_ touched: SliceKey, _ old: Root, _ new: Root, _ cause: SliceCause)
    /// Shows a slice to a presenter as if it had begun, for the session that the cause names.
    func showBeginning(_ key: SliceKey, _ root: Root, _ cause: SliceCause)
}

/// One slice of a module, or all of them, with their observer.
private final class Watched<Root: RootState, State: ModuleState>: WatchedSlices {
    private let place: SlicePlace<Root, State>
    /// The slice; `nil` for all that there are.
    private let key: SliceKey?
    private let name: String?
    private let presents: Bool
    /// True for a part of the server itself, which observes changes for other recipients, too.
    var seesAll = false
    private let subscription: Subscriber<(SliceChange<State>) -> Void>

    init(
        _ place: SlicePlace<Root, State>,
        _ key: SliceKey?,
        name: String?,
        presents: Bool,
        _ subscription: Subscriber<(SliceChange<State>) -> Void>
    ) {
        self.place = place
        self.key = key
        self.name = name
        self.presents = presents
        self.subscription = subscription
    }

    var isEnded: Bool { !subscription.isActive }

    func show(_ touched: SliceKey, _ old: Root, _ new: Root, _ cause: SliceCause) {
        guard subscription.isActive, seesAll || cause.audience?.includes(name) != false,
            !(presents && cause.isElsewhere)
        else { return }
        for key in meant(by: touched, old, new) {
            // The action may come from another session than the slice that it changed.
            let cause = key.session.map { cause.for($0) } ?? cause
            subscription.handler(
                SliceChange(
                    old: place.read(old, key),
                    new: place.read(new, key),
                    key: key,
                    cause: cause
                )
            )
        }
    }

    /// The slices that are observed, of those that a touch means.
    private func meant(by touched: SliceKey, _ old: Root, _ new: Root) -> [SliceKey] {
        let isOne =
            (touched.session != nil || !place.isPerSession)
            && (touched.instance != nil || place.form != .instances)
        if let key {
            if !isOne { return key.isPart(of: touched) ? [key] : [] }
            return key == touched ? [key] : []
        }
        if isOne { return [touched] }
        let keys = place.keys(new)
        let known = Set(keys)
        // In the order of their names: the same action always leads to the same calls.
        return (keys + place.keys(old).filter { !known.contains($0) }).filter { key in
            key.isPart(of: touched) && isShown(key)
                && !isIdentical(place.read(old, key), place.read(new, key))
        }
    }

    /// What every session begins with belongs to none.
    private func isShown(_ key: SliceKey) -> Bool { key.session != nil || !place.isPerSession }

    func showFirst(_ root: Root, _ audience: (SliceKey) -> String?) {
        let keys = key.map { [$0] } ?? firstKeys(root)
        for key in keys {
            subscription.handler(
                SliceChange(
                    old: nil,
                    new: place.read(root, key),
                    key: key,
                    cause: .start(for: audience(key))
                )
            )
        }
    }

    /// All slices that there are, and that of all who have no session of their own.
    private func firstKeys(_ root: Root) -> [SliceKey] {
        var keys = place.keys(root).filter(isShown)
        if place.isPerSession, place.form != .instances {
            let shared = SliceKey(session: SessionName.shared)
            if !keys.contains(shared) { keys.append(shared) }
        }
        // An observer of a module that has no instance yet is called, too.
        return keys.isEmpty ? [.only] : keys
    }

    func showBeginning(_ key: SliceKey, _ root: Root, _ cause: SliceCause) {
        guard presents, subscription.isActive, self.key == nil || self.key == key,
            let state = place.read(root, key)
        else { return }
        subscription.handler(SliceChange(old: nil, new: state, key: key, cause: cause))
    }
}

extension SliceKey {
    /// Whether a touch that leaves a name open means this slice.
    fileprivate func isPart(of touched: SliceKey) -> Bool {
        (touched.session == nil || SliceKey(session: session) == SliceKey(session: touched.session))
            && (touched.instance == nil
                || SliceKey(instance: instance) == SliceKey(instance: touched.instance))
    }
}
