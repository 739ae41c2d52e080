/// A module whose view has an action for the moment when a client begins to show it, and when that
/// ends.
///
/// A client shows a module while it reads the module's stream.
///
/// If the view has both actions, they come by turns: the first is refused from a session that
/// shows the slice already, and the second from a session that does not. ``Presence`` keeps which
/// sessions show which slices, so a server that starts again ends what the one before left open.
/// A slice that stops takes its views with it, and one that is started over itself keeps them:
/// ``StartableModule/begin(_:over:)`` carries a count of them over.
public protocol VisibleModule<State>: Module {
    /// The action of the view when a client begins or ceases to show it; `nil` for none. It is
    /// dispatched once for each session.
    func visibilityDidChange(to visibility: ViewVisibility) -> UI?
}

/// Whether a client shows a view.
public enum ViewVisibility: Sendable {
    /// A client shows it.
    case visible
    /// The client shows it no more.
    case hidden
}

extension Slice {
    /// The action of the module's view when its visibility changes.
    package func action(on visibility: ViewVisibility) -> (any Action)? {
        (anyModule as? any VisibleModule)?.visibilityDidChange(to: visibility)
    }

    /// Finds the visibility that an action of the module's view reports, if the view has an action
    /// for both; `nil` if it has not.
    var visibilityReport: (@Sendable (any Action) -> ViewVisibility?)? {
        func report<M: VisibleModule>(_ module: M) -> (@Sendable (any Action) -> ViewVisibility?)? {
            module.visibilityReport
        }
        guard let module = anyModule as? any VisibleModule else { return nil }
        return report(module)
    }
}

extension VisibleModule {
    fileprivate var visibilityReport: (@Sendable (any StoreCore.Action) -> ViewVisibility?)? {
        guard let visible = visibilityDidChange(to: .visible),
            let hidden = visibilityDidChange(to: .hidden), visible != hidden
        else { return nil }
        return { action in
            guard let action = action as? UI else { return nil }
            return action == visible ? .visible : action == hidden ? .hidden : nil
        }
    }
}
