/// The Core as one module sees it: the slice, the slice's changes, and a way to dispatch the
/// module's actions.
///
/// ```swift
/// let home = try core.child(Home.self)
/// home.observe { old, new in print(new?.titles.count ?? 0) }
/// home.dispatch(.selected(title: "Movie 3"))
/// ```
///
/// A child store reports only the changes of its own slice, each with the slice before and after
/// the action.
public final class ChildStore<Root: RootState, M: ModuleInterface>: Sendable {
    private let core: Core<Root>
    private let sliceObservers: SliceObservers<Root>
    private let place: any SlicePlace<Root, M.State>
    private let key: SliceKey

    init(
        _ core: Core<Root>,
        _ changes: SliceObservers<Root>,
        _ place: any SlicePlace<Root, M.State>,
        _ key: SliceKey
    ) {
        self.core = core
        self.sliceObservers = changes
        self.place = place
        self.key = key
    }

    /// Calls `observer` first with `nil` and the current slice, and then with the slice before and
    /// after each change. A slice that is not started is `nil`.
    ///
    /// Observers are called on the thread that does the Core's work, in the order in which they
    /// were added.
    ///
    /// - Parameters:
    ///   - name: the name under which the recipients of an action (`Recipients`) may include or
    ///     leave out the observer.
    ///   - observer: gets the slice before and after each change, and may dispatch actions.
    /// - Returns: a command that ends the observation.
    @discardableResult
    public func observe(
        as name: String? = nil,
        _ observer: @escaping @Sendable (_ old: M.State?, _ new: M.State?) -> Void
    ) -> PlainCommand {
        sliceObservers.observe(M.name, key, place, core, as: name) { observer($0.old, $0.new) }
    }

    /// The current slice and the slice after each change; `nil` for a slice that is not started.
    /// The stream ends when the task that iterates over the stream ends. A slow task gets only the
    /// newest slice.
    public var values: AsyncStream<M.State?> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let end = observe { _, new in continuation.yield(new) }
            continuation.onTermination = { _ in end() }
        }
    }

    /// Dispatches one of the module's public actions. Only `audience` gets the change. Returns
    /// `false` if the Core does not accept the action.
    package func dispatch(_ action: M.Action, for audience: Audience?) -> Bool {
        core.dispatch(addressed(action), for: audience, from: key)
    }

    /// Dispatches one of the module's public actions, and does not wait for the outcome. Returns
    /// `false` if the Core does not accept the action.
    @discardableResult
    public func dispatch(_ action: M.Action) -> Bool { send(action) }

    fileprivate func send(_ action: any Action) -> Bool {
        core.dispatch(addressed(action), for: nil, from: key)
    }

    private func addressed(_ action: any Action) -> any Action {
        key.instance.map { action.to($0) } ?? action
    }
}

extension ChildStore where M: Module {
    /// Dispatches a UI action of the module. Returns `false` if the Core does not accept the
    /// action.
    @discardableResult
    public func dispatch(_ action: M.UI) -> Bool { send(action) }

    /// Dispatches an internal action of the module. Returns `false` if the Core does not accept the
    /// action.
    @discardableResult
    public func dispatch(_ action: M.Internal) -> Bool { send(action) }
}
