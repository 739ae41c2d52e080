public import StoreCore

/// A module whose view says when a client begins to show it, and when that ends.
///
/// A client shows a module while it reads the module's stream.
public protocol VisibleModule<State>: Module {
    /// What the view says when a client begins or ceases to show it; `nil` says nothing. It is said
    /// once for each session.
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
    /// What the module's view says of its visibility.
    package func action(on visibility: ViewVisibility) -> (any Action)? {
        (anyModule as? any VisibleModule)?.visibilityDidChange(to: visibility)
    }
}
