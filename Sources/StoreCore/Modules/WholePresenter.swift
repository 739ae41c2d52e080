/// A presenter of the whole state, with its context in a Core.
struct WholePresenter<Root: RootState>: Sendable {
    let name: String
    private let update: @Sendable (Root?, Root, SliceCause) -> Void

    /// - Parameters:
    ///   - presenter: the presenter.
    ///   - context: the context of its calls, with its name.
    ///   - hasSessions: sets the session of each action in the context, if true.
    init<P: Presenter<Root>>(_ presenter: P, _ context: PresenterContext, hasSessions: Bool) {
        name = context.name
        update = { old, new, cause in
            var context = context
            context.cause = cause
            if hasSessions { context.session = cause.session }
            presenter.stateDidUpdate(from: old, to: new, context)
        }
    }

    /// Reports the change of an action, if this engine applied it and its audience has the
    /// presenter.
    func show(_ old: Root, _ new: Root, _ cause: SliceCause) {
        guard !cause.isElsewhere, cause.audience?.includes(name) != false else { return }
        update(old, new, cause)
    }

    /// Reports the state that the store begins with.
    func showFirst(_ root: Root) { update(nil, root, .start(for: nil)) }
}
