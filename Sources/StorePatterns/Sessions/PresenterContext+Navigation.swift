public import StoreCore

extension PresenterContext {
    /// Pushes views on the stacks of those who asked, and pops them.
    public var navigation: RouteNavigator { navigator(.push) }
    /// Presents views before all else to those who asked, and dismisses them.
    public var modal: RouteNavigator { navigator(.modal) }
    /// Presents views to those who asked in place of all else.
    public var window: RouteNavigator { navigator(.root) }

    /// The presenter's own view: the name that it gives, or its module's; of an instance, that name
    /// and the id, `cards/7`.
    public var view: String {
        let module = module ?? self.name
        let name = (presenter as? any ViewPresenter.Type)?.view(of: module) ?? module
        return instance.map { PresentedView.name(name, of: $0) } ?? name
    }

    /// Takes the presenter's own view off the route of the slice's session, and off every session's
    /// where the slice is shared.
    public func withdraw(file: String = #fileID, line: Int = #line) {
        withdraw(view, file: file, line: line)
    }

    /// Takes a view off the route of the slice's session, and off every session's where the slice
    /// is shared: what it showed is gone.
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
