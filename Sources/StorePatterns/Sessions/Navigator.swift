/// Presents views to sessions, and dismisses them.
///
/// A ``/StoreCore/PresenterContext`` has one for each ``PresentationStyle``: `navigation`, `modal`
/// and `window`.
public protocol Navigator: Sendable {
    /// Puts a view on top; one that is presented already stays where it is.
    ///
    /// - Parameters:
    ///   - view: the view's name.
    ///   - completion: receives once what became of it, where the presenter works: it may dispatch.
    func present(_ view: String, completion: RouteCompletion?)

    /// Takes away all above a view.
    func dismiss(until view: String, completion: RouteCompletion?)

    /// Takes away the topmost view of this navigator's style, with all above it.
    func dismiss(completion: RouteCompletion?)
}

extension Navigator {
    /// Puts a view on top.
    public func present(_ view: String) { present(view, completion: nil) }
    /// Takes away all above a view.
    public func dismiss(until view: String) { dismiss(until: view, completion: nil) }
    /// Takes away the topmost view of this navigator's style, with all above it.
    public func dismiss() { dismiss(completion: nil) }
}

/// A presenter's way to the route of the session that it presents to.
public struct RouteNavigator: Navigator {
    let style: PresentationStyle
    let session: String
    /// The view of the presenter itself.
    let view: String
    let submit: @Sendable (Sessions.Internal, RouteCompletion?) -> Void

    /// Puts the presenter's own view on top: its module's, or that of the instance, `cards/7`.
    public func present(completion: RouteCompletion? = nil) {
        present(view, completion: completion)
    }

    /// Puts a view on top.
    public func present(_ view: String, completion: RouteCompletion?) {
        submit(.presented(view: view, style: style, sessions: [session]), completion)
    }

    /// Takes away all above a view.
    public func dismiss(until view: String, completion: RouteCompletion?) {
        submit(.dismissedUntil(view: view, sessions: [session]), completion)
    }

    /// Takes away the topmost view of this navigator's style, with all above it.
    public func dismiss(completion: RouteCompletion?) {
        submit(.dismissed(style: style, sessions: [session]), completion)
    }
}
