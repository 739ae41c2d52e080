import Synchronization

/// Tells those who observe slices what changed, once for each batch.
package final class SliceChanges<Root: RootState>: @unchecked Sendable {
    // Safety: everything belongs to the Core's thread; who comes or goes does so by a task of the Core.

    private let touched: TouchedModules
    private let presentation: Presentation<Root>?
    private var watched: [Int: [any WatchedSlice<Root>]] = [:]

    init(_ touched: TouchedModules, _ presentation: Presentation<Root>? = nil) {
        self.touched = touched
        self.presentation = presentation
    }

    /// The batch is durable: tells of the slices that it changed.
    package func settle(_ state: Root, for audience: Audience?) {
        for touched in touched.take() {
            let authors = presentation?.takeAuthors(of: touched.module) ?? []
            for slice in watched[touched.module] ?? [] where touched.has(slice.instance) {
                slice.settle(state, authors, for: audience)
            }
        }
        guard let presentation, presentation.hasStarters else { return }
        for (index, starters) in presentation.takeStarters() {
            for slice in watched[index] ?? [] { slice.begin(for: starters.sorted()) }
        }
    }

    func observe<State: ModuleState>(
        _ module: String,
        _ instance: String?,
        _ place: SlicePlace<Root, State>,
        _ core: Core<Root>,
        as name: String? = nil,
        presents: Bool = false,
        _ handler: @escaping @Sendable (SliceChange<State>) -> Void
    ) -> PlainCommand {
        let subscription = Subscription<(SliceChange<State>) -> Void>(handler: handler, queue: nil)
        guard let index = Root.modules.firstIndex(where: { $0.name == module }) else { return .nop }
        core.engine.perform { [self] engine in
            let authors = presentation?.firstAuthors(of: index, in: engine.state) ?? []
            slice(index, instance, place, engine.state)
                .add(subscription, as: name, presents: presents, authors)
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
            if let slice = slice as? Watched<Root, State>,
                slice.instance.map({ InstanceKey($0) }) == instance.map({ InstanceKey($0) })
            {
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
    /// The sessions whose actions led to it.
    let authors: [String]
}

private protocol WatchedSlice<Root>: AnyObject {
    associatedtype Root
    var instance: String? { get }
    func settle(_ root: Root, _ authors: [String], for audience: Audience?)
    /// Tells presenters of the slice as if it had begun for these sessions.
    func begin(for sessions: [String])
    /// Forgets those who have left. Answers whether nobody is there any more.
    func isUnwatched() -> Bool
}

/// A slice as it was told last, and whom to tell.
private final class Watched<Root: RootState, State: ModuleState>: WatchedSlice {
    let place: SlicePlace<Root, State>
    let instance: String?
    private var last: State?
    private struct Observer {
        let name: String?
        let presents: Bool
        let subscription: Subscription<(SliceChange<State>) -> Void>
    }

    private var observers: [Observer] = []

    init(place: SlicePlace<Root, State>, instance: String?, state: Root) {
        self.place = place
        self.instance = instance
        last = place.read(state, instance)
    }

    func add(
        _ subscription: Subscription<(SliceChange<State>) -> Void>,
        as name: String?,
        presents: Bool,
        _ authors: [String]
    ) {
        guard subscription.isActive else { return }
        observers.append(Observer(name: name, presents: presents, subscription: subscription))
        subscription.handler(SliceChange(old: nil, new: last, authors: authors))
    }

    func begin(for sessions: [String]) {
        guard last != nil else { return }
        let beginning = SliceChange(old: nil, new: last, authors: sessions)
        for observer in observers where observer.presents && observer.subscription.isActive {
            observer.subscription.handler(beginning)
        }
    }

    func settle(_ root: Root, _ authors: [String], for audience: Audience?) {
        let new = place.read(root, instance)
        guard new != last else { return }
        let change = SliceChange(old: last, new: new, authors: authors)
        last = new
        for observer in observers
        where observer.subscription.isActive && audience?.includes(observer.name) != false {
            observer.subscription.handler(change)
        }
    }

    func isUnwatched() -> Bool {
        observers.removeAll { !$0.subscription.isActive }
        return observers.isEmpty
    }
}
