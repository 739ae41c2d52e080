/// A startable module at its place, of which can be said that it starts with the store.
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

    /// The same module with more at its place: what a ``Mount`` has, before or behind its start.
    package func changed(_ change: (Mount<Root>) -> Mount<Root>) -> StartableMount {
        StartableMount(change(mount))
    }

    /// The module, which starts with the store.
    ///
    /// A store without a history starts such modules in the order of ``RootState/modules``, before
    /// any other action and in one step: so their versions are the first ones, and a start that is
    /// refused keeps the server from starting. A store that goes on from a history, or from a state
    /// that it was given, starts none; nor does a `Core` that a program or a test makes of a state.
    ///
    /// Where each session has a slice, it starts with the session, in the same step; that of
    /// clients without a session starts with the store.
    ///
    /// - Parameter start: the input of the start.
    /// - Returns: the module for the root state's list.
    public func started(with start: M.Interface.Start) -> Mount<Root> {
        mount.started(by: ModuleStart<M.Interface>(start: start))
    }
}

extension StartableMount where M.Interface.Start == NoFields {
    /// The module, which starts with the store; see ``started(with:)``.
    public var started: Mount<Root> { started(with: NoFields()) }
}

// What a mount has besides its start, so that the order of the words does not matter.
extension StartableMount {
    /// The same module, with the dispatchers that may start and stop its slices; see
    /// ``Mount/lifecycle(start:stop:)``.
    public func lifecycle(start: LifecycleAccess, stop: LifecycleAccess) -> StartableMount {
        changed { $0.lifecycle(start: start, stop: stop) }
    }

    /// Likewise; see ``Mount/lifecycle(_:)``.
    public func lifecycle(_ access: LifecycleAccess) -> StartableMount {
        changed { $0.lifecycle(access) }
    }

    /// The same module, with a presenter for its slice; see ``Mount/presented(by:)``.
    public func presented<P: Presenter>(by presenter: P) -> StartableMount {
        changed { $0.presented(by: presenter) }
    }

    /// The same module, which sees what another one shares; see ``Mount/reading(_:of:)``.
    public func reading<State: ModuleState, Owner: SharingInterface>(
        _ path: any WritableKeyPath<State, Shared<Owner.SharedValue>> & Sendable,
        of owner: Owner.Type
    ) -> StartableMount {
        changed { $0.reading(path, of: owner) }
    }
}

// These return what can be started, and nothing else: a `Mount` is preferred wherever one is meant.
extension StartableModule {
    /// The module with a slice that starts with the store.
    @_disfavoredOverload
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, State?> & Sendable
    ) -> StartableMount<Root, Self> {
        let mount: Mount<Root> = at(path)
        return StartableMount(mount)
    }

    /// The module with a slice for each session, which starts with the session.
    @_disfavoredOverload
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<State?>> & Sendable
    ) -> StartableMount<Root, Self> {
        let mount: Mount<Root> = at(path)
        return StartableMount(mount)
    }
}

extension RootState {
    /// The actions that start what starts with the store, in the order of the modules.
    package static var starts: [any Action] { modules.compactMap(\.start) }

    /// The actions that start what starts with a session.
    package static var sessionStarts: [any Action] {
        modules.filter { $0.slice.ownership == .session }.compactMap(\.start)
    }
}
