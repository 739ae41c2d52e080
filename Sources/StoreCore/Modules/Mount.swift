/// A module at its place in the root state.
///
/// Made by ``Module/at(_:)`` and its siblings, in ``RootState/modules``.
public struct Mount<Root: RootState>: Sendable {
    /// The module's name.
    public let name: String
    package let slice: any Slice<Root>
    /// Where in the root state the slice lies.
    let path: any AnyKeyPath & Sendable
    var presenters: [BoundPresenter<Root>] = []
    /// The names of its presenters.
    package var presenterNames: [String] { presenters.map(\.name) }
    package var presenterTypes: [any Presenter.Type] { presenters.map(\.type) }
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
            case .always(let member): member.path
            case .started(let member): member.path
            case .instances(let member): member.path
            }
    }
}

extension Module {
    /// The module with a slice that is always there.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State> & Sendable
    ) -> Mount<Root> {
        Mount(self, .always(RootMember(path)), [])
    }
}

extension StartableModule {
    /// The module with a slice that is absent until it is started.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State?> & Sendable
    ) -> Mount<Root> {
        let place = SlicePlace<Root, State>.started(RootMember(path))
        return Mount(self, place, Lifecycle.handlers(of: self, at: place))
    }

    /// The module with any number of slices, each started under an id of its own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, Instances<State>> & Sendable
    ) -> Mount<Root> {
        let place = SlicePlace<Root, State>.instances(RootMember(path))
        return Mount(self, place, Lifecycle.handlers(of: self, at: place))
    }
}
