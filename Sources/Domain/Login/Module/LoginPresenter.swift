import DefaultLoginInterface
import DefaultUserInterface
import StoreCore

/// The presenter of the login, which stops the module of the user after a logout.
struct LoginPresenter: Presenter {
    func stateDidUpdate(from old: Login.State?, to new: Login.State?, _ context: PresenterContext) {
        guard let old, old.progress != .idle, new?.progress == .idle else { return }
        context.dispatch(User.stop)
    }
}
