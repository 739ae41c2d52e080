/// An interface that presents views to sessions, and dismisses them.
///
/// A ``/StoreCore/PresenterContext`` has one for each ``PresentationStyle``: `navigation`, `modal`
/// and `window`.
public protocol Navigator: Sendable {
    /// Puts a view on top. A view that is presented already stays in its place.
    ///
    /// - Parameters:
    ///   - view: the view's name.
    ///   - completion: receives the outcome once, on the thread that runs the Core; it may
    ///     dispatch. If the Core stops first, the completion is not called.
    func present(_ view: String, completion: RouteCompletion?)

    /// Removes all views above a view.
    func dismiss(until view: String, completion: RouteCompletion?)

    /// Removes the topmost view of this navigator's style, with all views above it.
    func dismiss(completion: RouteCompletion?)
}

extension Navigator {
    /// Puts a view on top.
    public func present(_ view: String) { present(view, completion: nil) }
    /// Removes all views above a view.
    public func dismiss(until view: String) { dismiss(until: view, completion: nil) }
    /// Removes the topmost view of this navigator's style, with all views above it.
    public func dismiss() { dismiss(completion: nil) }
}

/// A presenter's navigator for the route of the session that it presents to.
public struct RouteNavigator: Navigator {
    let style: PresentationStyle
    let session: String
    /// The presenter's own view.
    let view: String
    let submit: @Sendable (Sessions.Internal, RouteCompletion?) -> Void

    /// Puts the presenter's own view on top: the view of its module, or of the instance, `cards/7`.
    public func present(completion: RouteCompletion? = nil) {
        present(view, completion: completion)
    }

    /// Puts a view on top.
    public func present(_ view: String, completion: RouteCompletion?) {
        submit(.presented(view: view, style: style, sessions: [session]), completion)
    }

    /// Removes all views above a view.
    public func dismiss(until view: String, completion: RouteCompletion?) {
        submit(.dismissedUntil(view: view, sessions: [session]), completion)
    }

    /// Removes the topmost view of this navigator's style, with all views above it.
    public func dismiss(completion: RouteCompletion?) {
        submit(.dismissed(style: style, sessions: [session]), completion)
    }
}
