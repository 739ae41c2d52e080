/// The object that reports the changes of slices to their observers: presenters and child stores.
///
/// Observers get the changes in the order of the actions. For each applied action, an observer gets
/// the slice before and after the action.
package final class SliceObservers<Root: RootState>: @unchecked Sendable {
    // Safety: the mutable members belong to the Core's thread. Tasks on this thread add and remove
    // the observers.

    let presentation: (any RootPresentation<Root>)?
    private var observersByModule: [[any SliceObserver<Root>]] {
        didSet { updateObserverCounts() }
    }
    private let moduleNames: [String]
    /// For each module, true if its one slice has a part for each session.
    private let isKeyedBySession: [Bool]
    /// For each module, the number of observers of its slices plus the number of presenters of the
    /// whole state. The sums are stored, so that an action reads only one number.
    private var observerCountsByModule: [Int]
    /// The presenters of the whole state, in their order.
    private var wholeStatePresenters: [WholeStatePresenter<Root>] = [] {
        didSet { updateObserverCounts() }
    }

    init(_ modules: Root.Modules, _ presentation: (any RootPresentation<Root>)? = nil) {
        self.presentation = presentation
        observersByModule = Array(repeating: [], count: modules.count)
        observerCountsByModule = Array(repeating: 0, count: modules.count)
        isKeyedBySession = modules.map { $0.slicePlace.ownership == .keyedBySession }
        moduleNames = modules.map(\.name)
    }

    private func updateObserverCounts() {
        observerCountsByModule = observersByModule.map { $0.count + wholeStatePresenters.count }
    }

    func hasObservers(_ module: Int) -> Bool { observerCountsByModule[module] > 0 }

    func report(_ change: Change, from old: Root, to new: Root, _ cause: SliceChangeOrigin) {
        let shared = presentation == nil ? nil : SessionName.shared
        let cause = cause.withSession(cause.session ?? shared)
        var partsShown: Int?
        for edit in change.edits
        where edit.changesSlice && !isCoveredByOwnerEdits(edit, in: change) {
            // If a slice has a part for each session, observers get the whole slice in one call.
            guard !isKeyedBySession[edit.moduleIndex] else {
                if partsShown != edit.moduleIndex {
                    reportSlice(.only, of: edit.moduleIndex, old, new, cause)
                }
                partsShown = edit.moduleIndex
                continue
            }
            reportSlice(edit.key, of: edit.moduleIndex, old, new, cause)
        }
        if change.changesState {
            for presenter in wholeStatePresenters { presenter.reportChange(old, new, cause) }
        }
        guard let session = cause.session, !cause.isOfOtherEngine else { return }
        change.edits.forEach { edit in
            guard edit.isRestart, presentation?.isHidden(edit, from: session, in: old) == true
            else { return }
            for slices in observersByModule[edit.moduleIndex] {
                slices.reportBeginning(edit.key, new, cause)
            }
        }
    }

    private func reportSlice(
        _ key: SliceKey,
        of module: Int,
        _ old: Root,
        _ new: Root,
        _ cause: SliceChangeOrigin
    ) {
        for slices in observersByModule[module] { slices.reportChange(key, old, new, cause) }
    }

    /// Returns true if an edit stands for all slices of a module, and the change also has edits for
    /// the slices of single owners.
    private func isCoveredByOwnerEdits(_ edit: SliceEdit, in change: Change) -> Bool {
        edit.key == .only && !isKeyedBySession[edit.moduleIndex]
            && change.edits.contains {
                $0.changesSlice && $0.moduleIndex == edit.moduleIndex && $0.key.owner != nil
            }
    }

    /// Adds a presenter of the whole state, and calls it with the current state.
    func addPresenter(_ presenter: WholeStatePresenter<Root>, of core: Core<Root>) {
        core.engine.enqueueTask { [self, owner = core.stateOwner] _ in
            wholeStatePresenters.append(presenter)
            // No client is the cause of this call.
            var root = owner.current
            owner.modularReducer?.setReader(of: &root, to: nil, as: nil)
            presenter.reportInitialState(root)
        }
    }

    func observe<State: ModuleState>(
        _ module: String,
        _ key: SliceKey?,
        _ place: some SlicePlace<Root, State>,
        _ core: Core<Root>,
        as name: String? = nil,
        isPresenter: Bool = false,
        ignoresAudience: Bool = false,
        _ handler: @escaping @Sendable (SliceChange<State>) -> Void
    ) -> PlainCommand {
        let subscription = Subscription<(SliceChange<State>) -> Void>(handler: handler, queue: nil)
        guard let index = moduleNames.firstIndex(of: module) else { return PlainCommand {} }
        core.engine.enqueueTask { [self, owner = core.stateOwner] _ in
            guard subscription.isActive else { return }
            let slices = TypedSliceObserver(
                place,
                key,
                name: name,
                isPresenter: isPresenter,
                subscription
            )
            slices.ignoresAudience = ignoresAudience
            observersByModule[index].append(slices)
            let audience = presentation?.makeInitialSessionLookup(of: index, in: owner.current)
            slices.reportInitialSlices(owner.current) { audience?($0) }
        }
        return PlainCommand { [weak self, weak core] in
            guard subscription.end(), let self, let core else { return }
            core.engine.enqueueTask { _ in self.observersByModule[index].removeAll { $0.isEnded } }
        }
    }
}

/// A slice before and after a change.
struct SliceChange<State: ModuleState>: Sendable {
    let old: State?
    let new: State?
    let key: SliceKey
    /// The action that changed the slice, and the session to present to.
    let cause: SliceChangeOrigin
}

private protocol SliceObserver<Root>: AnyObject {
    associatedtype Root
    var isEnded: Bool { get }
    /// Reports the change of a slice by an action, if the observer observes the slice.
    func reportChange(_ edited: SliceKey, _ old: Root, _ new: Root, _ cause: SliceChangeOrigin)
    /// Reports a slice to a presenter as if the slice had begun, for the session of the cause.
    func reportBeginning(_ key: SliceKey, _ root: Root, _ cause: SliceChangeOrigin)
}

/// An observer of one slice of a module, or of all slices of the module.
private final class TypedSliceObserver<Place: SlicePlace>: SliceObserver
where Place.State: ModuleState {
    typealias Root = Place.Root

    private let place: Place
    /// The key of the slice; `nil` for all slices of the module.
    private let key: SliceKey?
    private let recipientName: String?
    private let isPresenter: Bool
    /// True for the observers of the server itself, which also get changes that are for other
    /// recipients.
    var ignoresAudience = false
    private let subscription: Subscription<(SliceChange<Place.State>) -> Void>

    init(
        _ place: Place,
        _ key: SliceKey?,
        name: String?,
        isPresenter: Bool,
        _ subscription: Subscription<(SliceChange<Place.State>) -> Void>
    ) {
        self.place = place
        self.key = key
        self.recipientName = name
        self.isPresenter = isPresenter
        self.subscription = subscription
    }

    var isEnded: Bool { !subscription.isActive }

    func reportChange(_ edited: SliceKey, _ old: Root, _ new: Root, _ cause: SliceChangeOrigin) {
        guard subscription.isActive,
            ignoresAudience || cause.audience?.includes(recipientName) != false,
            !(isPresenter && cause.isOfOtherEngine)
        else { return }
        for key in observedKeys(in: edited, old, new) {
            // The slice may belong to another session than the action.
            let cause = key.session.map { cause.withSession($0) } ?? cause
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

    /// Returns the keys of the observed slices that belong to an edit.
    private func observedKeys(in edited: SliceKey, _ old: Root, _ new: Root) -> [SliceKey] {
        let isOne =
            (edited.owner != nil || !place.isOwned)
            && (edited.instance != nil || place.cardinality != .instances)
        if let key {
            if !isOne { return key.isIncluded(in: edited) ? [key] : [] }
            return key == edited ? [key] : []
        }
        if isOne { return [edited] }
        let keys = place.keys(new)
        let known = Set(keys)
        // The keys have a fixed order, so the same action always leads to the same calls.
        return (keys + place.keys(old).filter { !known.contains($0) }).filter { key in
            key.isIncluded(in: edited) && isObservable(key)
                && !isIdentical(place.read(old, key), place.read(new, key))
        }
    }

    /// Returns false for the key of the value that every owner begins with: this value has no
    /// owner.
    private func isObservable(_ key: SliceKey) -> Bool { key.owner != nil || !place.isOwned }

    func reportInitialSlices(_ root: Root, _ audience: (SliceKey) -> String?) {
        let keys = key.map { [$0] } ?? initialKeys(root)
        for key in keys {
            subscription.handler(
                SliceChange(
                    old: nil,
                    new: place.read(root, key),
                    key: key,
                    cause: .storeStart(for: audience(key))
                )
            )
        }
    }

    /// Returns the keys of all slices, and the key of the clients without a session.
    private func initialKeys(_ root: Root) -> [SliceKey] {
        var keys = place.keys(root).filter(isObservable)
        if place.isOwned, place.cardinality != .instances {
            let shared = SliceKey(
                owner: place.ownership == .principal
                    ? OwnerName.visitor(SessionName.shared) : SessionName.shared
            )
            if !keys.contains(shared) { keys.append(shared) }
        }
        // The observer is called even if the module has no instances yet.
        return keys.isEmpty ? [.only] : keys
    }

    func reportBeginning(_ key: SliceKey, _ root: Root, _ cause: SliceChangeOrigin) {
        guard isPresenter, subscription.isActive, self.key == nil || self.key == key,
            let state = place.read(root, key)
        else { return }
        subscription.handler(SliceChange(old: nil, new: state, key: key, cause: cause))
    }
}

extension SliceKey {
    /// Returns true if an edit includes this slice. An edit without an owner includes all owners.
    /// An edit without an instance includes all instances.
    fileprivate func isIncluded(in edited: SliceKey) -> Bool {
        (edited.owner == nil || SliceKey(owner: owner) == SliceKey(owner: edited.owner))
            && (edited.instance == nil
                || SliceKey(instance: instance) == SliceKey(instance: edited.instance))
    }
}
