public import StoreCore

extension PresenterContext {
    /// Pushes views on the stacks of those who asked, and pops them.
    public var navigation: RouteNavigator { context(.push) }
    /// Presents views before all else to those who asked, and dismisses them.
    public var modal: RouteNavigator { context(.modal) }
    /// Presents views to those who asked in place of all else.
    public var window: RouteNavigator { context(.root) }

    /// Takes a view off the route of the slice's session, and off every session's where the slice
    /// is shared: what it showed is gone.
    public func withdraw(_ view: String, file: String = #fileID, line: Int = #line) {
        access.engine?.dispatchProgramAction(
            Sessions.Internal.withdrawn(view: view, sessions: session.map { [$0] }),
            from: source("\(file):\(line)"),
            applied: nil
        )
    }

    private func context(_ style: PresentationStyle) -> RouteNavigator {
        RouteNavigator(style: style, session: audience ?? Sessions.shared) { action, completion in
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
