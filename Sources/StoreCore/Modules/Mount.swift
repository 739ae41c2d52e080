/// A module at its place in the root state.
///
/// Made by ``Module/at(_:)-(any WritableKeyPath<Root,State>)`` and its siblings, in ``RootState/modules``.
public struct Mount<Root: RootState>: Sendable {
    /// The module's name.
    public let name: String
    package let slice: any Slice<Root>
    /// Where in the root state the slice lies.
    let path: any AnyKeyPath & Sendable
    var presenters: [BoundPresenter<Root>] = []
    /// The names of its presenters.
    package var presenterNames: [String] { presenters.map(\.name) }
    var links: [SharedLink<Root>] = []

    package init<M: Module>(
        _ module: M,
        _ place: SlicePlace<Root, M.State>,
        _ life: [ActionHandler<Root>] = []
    ) {
        name = M.name
        slice = ModuleSlice(module: module, place: place, lifecycle: life)
        path =
            switch place {
            case .always(let path): path
            case .started(let path): path
            case .instances(let path): path
            }
    }
}

extension Module {
    /// The module with a slice that is always there.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State> & Sendable
    ) -> Mount<Root> {
        Mount(self, .always(path), [])
    }
}

extension StartableModule {
    /// The module with a slice that is absent until it is started.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State?> & Sendable
    ) -> Mount<Root> {
        let place = SlicePlace<Root, State>.started(path)
        return Mount(self, place, Lifecycle.handlers(of: self, at: place))
    }

    /// The module with any number of slices, each started under an id of its own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, Instances<State>> & Sendable
    ) -> Mount<Root> {
        let place = SlicePlace<Root, State>.instances(path)
        return Mount(self, place, Lifecycle.handlers(of: self, at: place))
    }
}

/// Where in the root state a slice lies.
package enum SlicePlace<Root: RootState, State: ModuleState>: Sendable {
    case always(any WritableKeyPath<Root, State> & Sendable)
    case started(any WritableKeyPath<Root, State?> & Sendable)
    case instances(any WritableKeyPath<Root, Instances<State>> & Sendable)

    /// The slice, where it is there.
    func read(_ root: Root, _ instance: String?) -> State? {
        switch self {
        case .always(let path): root[keyPath: path]
        case .started(let path): root[keyPath: path]
        case .instances(let path): instance.flatMap { root[keyPath: path][$0] }
        }
    }

    /// Puts a slice in its place; `nil` where it ends.
    func write(_ state: State?, _ root: inout Root, _ instance: String?) {
        switch self {
        case .always(let path): if let state { root[keyPath: path] = state }
        case .started(let path): root[keyPath: path] = state
        case .instances(let path): if let instance { root[keyPath: path][instance] = state }
        }
    }
}
