public import StoreCore

/// A navigator for the route of the session that a presenter presents to.
///
/// A ``/StoreCore/PresenterContext`` has a navigator for each ``PresentationStyle``: `navigation`,
/// `modal` and `window`. A completion receives the outcome once, on the thread that does the Core's
/// work, and may dispatch actions. If the Core stops first, the completion is not called.
public struct Navigator: Sendable {
    let style: PresentationStyle
    let session: String
    let view: String
    let submit: @Sendable (Sessions.Internal, RouteCompletion?) -> Void

    /// Puts the presenter's own view on top: the view of the presenter's module, or of the
    /// instance, such as `cards/7`.
    public func present(completion: RouteCompletion? = nil) {
        present(view, completion: completion)
    }

    /// Puts a view on top. A view that is already presented keeps its position.
    public func present(_ view: String, completion: RouteCompletion? = nil) {
        submit(.presented(view: view, style: style, sessions: [session]), completion)
    }

    /// Removes all views above a view.
    public func dismiss(until view: String, completion: RouteCompletion? = nil) {
        submit(.dismissedUntil(view: view, sessions: [session]), completion)
    }

    /// Removes the topmost view of this navigator's style, with all views of other styles above it.
    public func dismiss(completion: RouteCompletion? = nil) {
        submit(.dismissed(style: style, sessions: [session]), completion)
    }
}

extension PresenterContext {
    /// The navigator that pushes views on the session's route, and pops these views.
    public var navigation: Navigator { navigator(.push) }
    /// The navigator that presents views over all other views, and dismisses them.
    public var modal: Navigator { navigator(.modal) }
    /// The navigator that presents a view in place of all other views.
    public var window: Navigator { navigator(.root) }

    /// The presenter's own view: the name that the presenter declares, or the name of its module.
    /// The view of an instance has the id after the name: `cards/7`.
    public var view: String {
        let module = module ?? self.name
        let name = (presenterType as? any ViewPresenter.Type)?.view(of: module) ?? module
        return instance.map { PresentedView.instanceViewName(name, of: $0) } ?? name
    }

    /// Removes the presenter's own view from the route of the slice's session. If the slice is
    /// shared, removes the view from all routes.
    public func withdraw(file: String = #fileID, line: Int = #line) {
        withdraw(view, file: file, line: line)
    }

    /// Removes a view from the route of the slice's session, because the content of the view is
    /// gone. If the slice is shared, removes the view from all routes.
    public func withdraw(_ view: String, file: String = #fileID, line: Int = #line) {
        engine?.dispatchProgramAction(
            Sessions.Internal.withdrawn(view: view, sessions: session.map { [$0] }),
            from: source("\(file):\(line)")
        )
    }

    func navigator(_ style: PresentationStyle) -> Navigator {
        Navigator(
            style: style,
            session: targetSession ?? Sessions.shared,
            view: view
        ) { action, completion in
            // There is no session to present to, for instance when the store begins.
            guard let targetSession else {
                completion?(.shown)
                return
            }
            let source = source("StoreCore/\(name)")
            guard let engine else { return }
            guard let completion else { return engine.dispatchProgramAction(action, from: source) }
            // A client that waits for the action waits for the completion, too.
            let watch = source.watch
            watch?.begin()
            engine.dispatchProgramAction(action, from: source) { version in
                let report: RouteCompletion = { outcome in
                    let isTaken = self.engine?.enqueue {
                        completion(outcome)
                        watch?.end()
                    }
                    if isTaken != true { watch?.end() }
                }
                guard let version else { return report(.dropped) }
                guard let routes = self.engine?.routeWatch else { return report(.shown) }
                routes.watch(for: targetSession, toShow: version, report)
            }
        }
    }
}
