public import StoreCore

extension PresenterContext {
    /// The navigator that pushes views on the route of the session, and pops them.
    public var navigation: RouteNavigator { navigator(.push) }
    /// The navigator that presents views over all others, and dismisses them.
    public var modal: RouteNavigator { navigator(.modal) }
    /// The navigator that presents a view in place of all others.
    public var window: RouteNavigator { navigator(.root) }

    /// The presenter's own view: the name that the presenter declares, or the name of its module.
    /// For an instance, the id follows: `cards/7`.
    public var view: String {
        let module = module ?? self.name
        let name = (presenter as? any ViewPresenter.Type)?.view(of: module) ?? module
        return instance.map { PresentedView.name(name, of: $0) } ?? name
    }

    /// Removes the presenter's own view from the route of the slice's session. If the slice is
    /// shared, removes the view from all routes.
    public func withdraw(file: String = #fileID, line: Int = #line) {
        withdraw(view, file: file, line: line)
    }

    /// Removes a view, whose content is gone, from the route of the slice's session. If the slice
    /// is shared, removes the view from all routes.
    public func withdraw(_ view: String, file: String = #fileID, line: Int = #line) {
        access.engine?.dispatchProgramAction(
            Sessions.Internal.withdrawn(view: view, sessions: session.map { [$0] }),
            from: source("\(file):\(line)"),
            applied: nil
        )
    }

    func navigator(_ style: PresentationStyle) -> RouteNavigator {
        RouteNavigator(
            style: style,
            session: audience ?? Sessions.shared,
            view: view
        ) { action, completion in
            // No client asked, as when a store begins.
            guard let audience else {
                completion?(.shown)
                return
            }
            let source = source("StoreCore/\(name)")
            guard let engine = access.engine else { return }
            guard let completion else {
                engine.dispatchProgramAction(action, from: source, applied: nil)
                return
            }
            // A client that waits for the action waits for the completion, too.
            let watch = source.watch
            watch?.begin()
            engine.dispatchProgramAction(action, from: source) { version in
                let report: RouteCompletion = { outcome in
                    let isTaken = access.engine?.enqueue {
                        completion(outcome)
                        watch?.end()
                    }
                    if isTaken != true { watch?.end() }
                }
                guard let version else { return report(.dropped) }
                guard let routes = (presentation as? any RoutePresentation)?.routes else {
                    return report(.shown)
                }
                routes.wait(for: audience, toShow: version, report)
            }
        }
    }
}
