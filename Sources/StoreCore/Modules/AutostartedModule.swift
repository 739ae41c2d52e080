/// A module that starts with the store.
///
/// ```swift
/// static let modules: Modules = [
///     Home().started(with: .init(title: "Films")).at(\.home),
///     Cart().started.at(\.cart),
/// ]
/// ```
///
/// A store without a history starts all of these modules together, before any other action and in
/// the order of ``RootState/modules``. So the first versions come from these starts. If a start is
/// refused, the server does not start. These modules do not start in a store with a history or with
/// a given state. These modules also do not start in a `Core` that a program or a test makes of a
/// state.
///
/// If each session has a slice, the slice of a session starts together with the session. The slice
/// of the shared session starts with the store.
public struct AutostartedModule<M: StartableModule>: Sendable {
    fileprivate let module: M
    fileprivate let start: ModuleStart<M.Interface>

    /// Mounts the module with a slice that starts with the store.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, M.State?> & Sendable
    ) -> Mount<Root> {
        module.at(path).withAutomaticStart(start)
    }

    /// Mounts the module with a slice for each session. The slice of a session starts with the
    /// session.
    public func at<Root: RootState>(
        _ path: any WritableKeyPath<Root, PerSession<M.State?>> & Sendable
    ) -> Mount<Root> { module.at(path).withAutomaticStart(start) }
}

extension StartableModule {
    /// Returns this module as a module that starts with the store.
    ///
    /// - Parameter start: the input of the start.
    /// - Returns: the autostarted module, which the root state has to mount.
    public func started(with start: Interface.Start) -> AutostartedModule<Self> {
        AutostartedModule(module: self, start: ModuleStart(start: start))
    }
}

extension StartableModule where Interface.Start == NoFields {
    /// This module as a module that starts with the store.
    public var started: AutostartedModule<Self> { started(with: NoFields()) }
}

extension RootState {
    /// The actions that start modules with the store, in the order of the modules.
    package static var startActions: [any Action] { modules.compactMap(\.automaticStart) }

    /// The actions that start modules with a session, in the order of the modules.
    package static var sessionStartActions: [any Action] {
        modules.filter { $0.slicePlace.ownership == .session }.compactMap(\.automaticStart)
    }
}
