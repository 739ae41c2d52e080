/// A presenter of the whole state, with the context that it has of a Core.
struct WholePresenter<Root: RootState>: Sendable {
    let name: String
    private let update: @Sendable (Root?, Root, SliceCause) -> Void

    /// - Parameters:
    ///   - presenter: the presenter.
    ///   - context: what it may do, under its name.
    ///   - hasSessions: whether it is shown the state as a session sees it.
    init<P: Presenter<Root>>(_ presenter: P, _ context: PresenterContext, hasSessions: Bool) {
        name = context.name
        update = { old, new, cause in
            var context = context
            context.cause = cause
            if hasSessions { context.session = cause.session }
            presenter.stateDidUpdate(from: old, to: new, context)
        }
    }

    /// Shows what an action of this engine has changed, where its audience has the presenter.
    func show(_ old: Root, _ new: Root, _ cause: SliceCause) {
        guard !cause.isElsewhere, cause.audience?.includes(name) != false else { return }
        update(old, new, cause)
    }

    /// Shows the state that the store begins with.
    func showFirst(_ root: Root) { update(nil, root, .start(for: nil)) }
}
