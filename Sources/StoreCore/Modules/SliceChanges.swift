import Synchronization

/// Tells those who observe slices what changed, once for each batch.
package final class SliceChanges<Root: RootState>: @unchecked Sendable {
    // Safety: everything belongs to the Core's thread; who comes or goes does so by a task of the Core.

    private let touched: TouchedModules
    private var watched: [Int: [any WatchedSlice<Root>]] = [:]

    package init(_ touched: TouchedModules) {
        self.touched = touched
    }

    /// The batch is durable: tells of the slices that it changed.
    package func settle(_ state: Root, for audience: Audience?) {
        for index in touched.take() {
            for slice in watched[index] ?? [] { slice.settle(state, for: audience) }
        }
    }

    func observe<State: ModuleState>(
        _ module: String,
        _ instance: String?,
        _ place: SlicePlace<Root, State>,
        _ core: Core<Root>,
        as name: String? = nil,
        _ observer: @escaping @Sendable (State?, State?) -> Void
    ) -> PlainCommand {
        let handler: @Sendable (SliceChange<State>) -> Void = { observer($0.old, $0.new) }
        let subscription = Subscription<(SliceChange<State>) -> Void>(handler: handler, queue: nil)
        guard let index = Root.modules.firstIndex(where: { $0.name == module }) else { return .nop }
        core.engine.perform { [self] engine in
            slice(index, instance, place, engine.state).add(subscription, as: name)
        }
        return PlainCommand(id: "end subscription to \(module)") { [weak self, weak core] in
            guard subscription.end(), let self, let core else { return }
            core.engine.perform { _ in self.removeEnded(index) }
        }
    }

    private func slice<State: ModuleState>(
        _ index: Int,
        _ instance: String?,
        _ place: SlicePlace<Root, State>,
        _ state: Root
    ) -> Watched<Root, State> {
        for slice in watched[index] ?? [] {
            if let slice = slice as? Watched<Root, State>, slice.instance == instance {
                return slice
            }
        }
        let slice = Watched(place: place, instance: instance, state: state)
        watched[index, default: []].append(slice)
        return slice
    }

    private func removeEnded(_ index: Int) {
        watched[index]?.removeAll { $0.isUnwatched() }
    }
}

/// A slice before and after a change.
struct SliceChange<State: ModuleState>: Sendable {
    let old: State?
    let new: State?
}

private protocol WatchedSlice<Root>: AnyObject {
    associatedtype Root
    func settle(_ root: Root, for audience: Audience?)
    /// Forgets those who have left. Answers whether nobody is there any more.
    func isUnwatched() -> Bool
}

/// A slice as it was told last, and whom to tell.
private final class Watched<Root: RootState, State: ModuleState>: WatchedSlice {
    let place: SlicePlace<Root, State>
    let instance: String?
    private var last: State?
    private var observers: [(name: String?, observer: Subscription<(SliceChange<State>) -> Void>)] =
        []

    init(place: SlicePlace<Root, State>, instance: String?, state: Root) {
        self.place = place
        self.instance = instance
        last = place.read(state, instance)
    }

    func add(_ observer: Subscription<(SliceChange<State>) -> Void>, as name: String?) {
        guard observer.isActive else { return }
        observers.append((name, observer))
        observer.handler(SliceChange(old: nil, new: last))
    }

    func settle(_ root: Root, for audience: Audience?) {
        let new = place.read(root, instance)
        guard new != last else { return }
        let change = SliceChange(old: last, new: new)
        last = new
        for (name, observer) in observers
        where observer.isActive && audience?.includes(name) != false {
            observer.handler(change)
        }
    }

    func isUnwatched() -> Bool {
        observers.removeAll { !$0.observer.isActive }
        return observers.isEmpty
    }
}
