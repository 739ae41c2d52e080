/// A module and the member of the root state that holds its slice: an element of
/// ``RootState/modules``.
///
/// ```swift
/// static let modules: Modules = [Counter().at(\.counter), Card().at(\.cards)]
/// ```
///
/// The member's type decides when the slice is there: `State` always, `State?` from a start to a
/// stop, ``Instances`` of `State` once for each id that is started. ``PerSession`` of one of these
/// is the same for each session.
public struct Mount<Root: RootState>: Sendable {
    /// The module's name.
    public let name: String
    /// The module and its slice without their types: how the Core reduces and reads them.
    package let slice: any Slice<Root>
    /// The member itself. A start checks by it that each member of the root state has a module.
    let path: any AnyKeyPath & Sendable
    /// Called after commits that change the slice; ``presented(by:)`` adds one.
    var presenters: [BoundPresenter<Root>] = []
    /// What the slice has of other modules' slices; ``reading(_:of:)`` adds one.
    var sharedLinks: [SharedLink<Root>] = []
    /// The action that starts the slice with the store, or with its session; `nil` where a client
    /// or the program does that.
    package private(set) var start: (any Action)?
    private var startAccess: LifecycleAccess?
    private var stopAccess: LifecycleAccess?
    /// Whether it is a field, and so no module.
    package var isField: Bool { slice.anyModule == nil }

    /// A member that is no module's slice.
    init(_ field: any Slice<Root>, at path: any AnyKeyPath & Sendable) {
        name = field.name
        slice = field
        self.path = path
    }

    package var presenterNames: [String] { presenters.map(\.name) }
    package var presenterTypes: [any Presenter.Type] { presenters.map(\.type) }

    /// A module at its place; `lifecycle` has the actions that start and stop the slice.
    package init<M: Module>(
        _ module: M,
        _ place: SlicePlace<Root, M.State>,
        lifecycle: [ActionHandler<Root>] = []
    ) {
        name = M.Interface.name
        slice = ModuleSlice(module: module, place: place, lifecycle: lifecycle)
        path = place.path
    }
}

extension Mount {
    /// The same module, with the dispatchers that may start its slices, and those that may stop
    /// them.
    ///
    /// Where nothing is said, the program alone starts and stops slices that all clients share: an
    /// effect, a use case or a presenter decides for which client. A slice of a session is that
    /// session's, which starts and stops it. A module that is always there has no lifecycle.
    public func lifecycle(start: LifecycleAccess, stop: LifecycleAccess) -> Mount {
        var mount = self
        (mount.startAccess, mount.stopAccess) = (start, stop)
        return mount
    }

    /// The same module, with the dispatchers that may start and stop its slices; see
    /// ``lifecycle(start:stop:)``.
    public func lifecycle(_ access: LifecycleAccess) -> Mount {
        lifecycle(start: access, stop: access)
    }

    /// Which dispatchers the actions of a handler are taken from, for starts and stops.
    package func access(to handler: ActionHandler<Root>) -> LifecycleAccess {
        let said = handler.kind == .stop ? stopAccess : startAccess
        return said ?? (slice.ownership == .session ? .everybody : .program)
    }

    /// The same module, whose slice this action starts.
    func started(by start: any Action) -> Mount {
        var mount = self
        mount.start = start
        return mount
    }
}

extension Module {
    /// The module with a slice that is always there.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State> & Sendable
    ) -> Mount<Root> {
        Mount(self, .always(RootMember(path)))
    }

    /// The module with a slice for each session, which is always there.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<State>> & Sendable
    ) -> Mount<Root> {
        Mount(self, .sessions(RootMember(path)))
    }
}

extension StartableModule {
    /// The module with a slice that is absent until it is started.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State?> & Sendable
    ) -> Mount<Root> {
        startable(at: .started(RootMember(path)))
    }

    /// The module with any number of slices, each started under an id of its own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, Instances<State>> & Sendable
    ) -> Mount<Root> {
        startable(at: .instances(RootMember(path)))
    }

    /// The module with a slice for each session, which is absent until that session starts it.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<State?>> & Sendable
    ) -> Mount<Root> {
        startable(at: .startedSessions(RootMember(path)))
    }

    /// The module with any number of slices for each session, each started under an id of its own.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<Instances<State>>> & Sendable
    ) -> Mount<Root> {
        startable(at: .sessionInstances(RootMember(path)))
    }

    private func startable<Root: RootState>(at place: SlicePlace<Root, State>) -> Mount<Root> {
        Mount(self, place, lifecycle: Lifecycle.handlers(of: self, at: place))
    }
}
