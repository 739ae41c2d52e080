import DefaultLoginInterface
import DefaultUserInterface
import StoreCore

/// Ends what belongs to a user who has left.
struct LoginPresenter: Presenter {
    /// Stops the user's module at a logout.
    func stateDidUpdate(
        from old: Login.State?,
        to new: Login.State?,
        _ context: PresenterContext
    ) {
        guard let old, old.progress != .idle, new?.progress == .idle else { return }
        context.dispatch(User.stop)
    }
}
