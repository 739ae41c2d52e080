/// A module whose view has an action for the time when a client begins to show it, and an action
/// for the end of that.
///
/// A client shows a module while it reads the module's stream.
///
/// If the view has both actions, each session dispatches them by turns. The first is refused if the
/// session shows the slice already, and the second if it does not.
///
/// ``Presence`` records which sessions show which slices. So a start ends the views that the
/// previous server left open. A stop of a slice ends its views. A start over an existing slice
/// keeps its views: ``StartableModule/begin(_:over:)`` carries a count of them over.
public protocol VisibleModule<State>: Module {
    /// Returns the action of the view when a client begins or ceases to show it; `nil` for none.
    /// The action is dispatched once for each session.
    func visibilityDidChange(to visibility: ViewVisibility) -> UI?
}

/// The visibility of a view in a client.
public enum ViewVisibility: Sendable {
    /// A client shows it.
    case visible
    /// The client does not show it any more.
    case hidden
}

extension Slice {
    /// Returns the action of the module's view for a change of its visibility.
    package func action(on visibility: ViewVisibility) -> (any Action)? {
        (anyModule as? any VisibleModule)?.visibilityDidChange(to: visibility)
    }

    /// A function that returns the visibility that an action reports; `nil` if the view does not
    /// have an action for both changes.
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
