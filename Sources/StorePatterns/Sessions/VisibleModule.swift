public import StoreCore

/// A module whose view has an action for the moment when a client begins to show it, and when that
/// ends.
///
/// A client shows a module while it reads the module's stream.
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
}
