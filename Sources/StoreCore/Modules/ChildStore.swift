/// A module's own view of the Core: its slice, the slice's changes, and a way to dispatch.
///
/// ```swift
/// let home = try core.child(Home.self)
/// home.observe { old, new in print(new?.titles.count ?? 0) }
/// home.dispatch(.selected(title: "Movie 3"))
/// ```
///
/// It is shown its own slice alone: each change, with the action's own old and new state.
public final class ChildStore<Root: RootState, M: ModuleInterface>: Sendable {
    private let core: Core<Root>
    private let changes: SliceChanges<Root>
    private let place: SlicePlace<Root, M.State>
    private let key: SliceKey

    init(
        _ core: Core<Root>,
        _ changes: SliceChanges<Root>,
        _ place: SlicePlace<Root, M.State>,
        _ key: SliceKey
    ) {
        self.core = core
        self.changes = changes
        self.place = place
        self.key = key
    }

    /// Calls `observer` with `nil` and the slice as it is, and then with the slice before and after
    /// each change; `nil` stands for a slice that is not started.
    ///
    /// Observers are called in the order in which they subscribed, where the Core works.
    ///
    /// - Parameters:
    ///   - name: under which an action may select it, or leave it out (`Recipients`).
    ///   - observer: receives the slice before and after each change; it may dispatch.
    /// - Returns: what ends it.
    @discardableResult
    public func observe(
        as name: String? = nil,
        _ observer: @escaping @Sendable (_ old: M.State?, _ new: M.State?) -> Void
    ) -> PlainCommand {
        changes.observe(M.name, key, place, core, as: name) { observer($0.old, $0.new) }
    }

    /// The slice as it is and whenever it changes; `nil` while it is not started. Ends with the
    /// task that takes them; of slices that are not taken in time only the newest is kept.
    public var values: AsyncStream<M.State?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let end = observe { _, new in continuation.yield(new) }
            continuation.onTermination = { _ in end() }
        }
    }

    /// Dispatches one of the module's public actions, whose change is for some observers alone.
    package func dispatch(_ action: M.Action, for audience: Audience?) -> Bool {
        core.dispatch(addressed(action), for: audience, from: key.session)
    }

    /// Dispatches one of the module's public actions.
    @discardableResult
    public func dispatch(_ action: M.Action) -> Bool { send(action) }

    fileprivate func send(_ action: any Action) -> Bool {
        core.dispatch(addressed(action), for: nil, from: key.session)
    }

    private func addressed(_ action: any Action) -> any Action {
        key.instance.map { action.to($0) } ?? action
    }
}

extension ChildStore where M: Module {
    /// Dispatches an action of one of the module's views.
    @discardableResult
    public func dispatch(_ action: M.UI) -> Bool { send(action) }

    /// Dispatches one of the module's own actions.
    @discardableResult
    public func dispatch(_ action: M.Internal) -> Bool { send(action) }
}
