/// A mounted module that may start with the store.
///
/// ```swift
/// static let modules: Modules = [
///     Home().at(\.home).started(with: .init(title: "Films")),
///     Cart().at(\.cart).started,
/// ]
/// ```
public struct StartableMount<Root: RootState, M: StartableModule>: Sendable {
    private let mount: Mount<Root>

    fileprivate init(_ mount: Mount<Root>) { self.mount = mount }

    /// Returns the same module, with the mount that `change` returns.
    package func changed(_ change: (Mount<Root>) -> Mount<Root>) -> StartableMount {
        StartableMount(change(mount))
    }

    /// Returns the module, which starts with the store.
    ///
    /// A store without a history starts such modules in one step, before any other action and in
    /// the order of ``RootState/modules``. So the first versions are theirs. If a start is refused,
    /// the server does not start. A store with a history or with a given state starts none of them.
    /// Nor does a `Core` that a program or a test makes of a state.
    ///
    /// If each session has a slice, the slice starts with the session, in the same step. The slice
    /// of clients without a session starts with the store.
    ///
    /// - Parameter start: the input of the start.
    /// - Returns: an element for the root state's list.
    public func started(with start: M.Interface.Start) -> Mount<Root> {
        mount.started(by: ModuleStart<M.Interface>(start: start))
    }
}

extension StartableMount where M.Interface.Start == NoFields {
    /// The module, which starts with the store; see ``started(with:)``.
    public var started: Mount<Root> { started(with: NoFields()) }
}

// The functions of a mount, which may come before or after its start.
extension StartableMount {
    /// Returns the same module, with the dispatchers that may start and stop its slices; see
    /// ``Mount/lifecycle(start:stop:)``.
    public func lifecycle(start: LifecycleAccess, stop: LifecycleAccess) -> StartableMount {
        changed { $0.lifecycle(start: start, stop: stop) }
    }

    /// Returns the same module, with the dispatchers for both; see ``Mount/lifecycle(_:)``.
    public func lifecycle(_ access: LifecycleAccess) -> StartableMount {
        changed { $0.lifecycle(access) }
    }

    /// Returns the same module, with a presenter for its slice; see ``Mount/presented(by:)``.
    public func presented<P: Presenter>(by presenter: P) -> StartableMount {
        changed { $0.presented(by: presenter) }
    }

    /// Returns the same module, which reads the shared value of another one; see
    /// ``Mount/reading(_:of:)``.
    public func reading<State: ModuleState, Owner: SharingInterface>(
        _ path: any WritableKeyPath<State, Shared<Owner.SharedValue>> & Sendable,
        of owner: Owner.Type
    ) -> StartableMount {
        changed { $0.reading(path, of: owner) }
    }
}

extension StartableModule {
    /// Mounts the module with a slice that may start with the store.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State?> & Sendable
    ) -> StartableMount<Root, Self> {
        let mount: Mount<Root> = at(path)
        return StartableMount(mount)
    }

    /// Mounts the module with a slice for each session, which may start with the session.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<State?>> & Sendable
    ) -> StartableMount<Root, Self> {
        let mount: Mount<Root> = at(path)
        return StartableMount(mount)
    }
}

extension RootState {
    /// The actions that start modules with the store, in the order of the modules.
    package static var starts: [any Action] { modules.compactMap(\.start) }

    /// The actions that start modules with a session, in the order of the modules.
    package static var sessionStarts: [any Action] {
        modules.filter { $0.slice.ownership == .session }.compactMap(\.start)
    }
}
