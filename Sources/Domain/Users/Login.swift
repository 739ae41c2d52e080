public import StoreCore
import StorePatterns

/// Logging in: how far it is, and what came of it.
///
/// The password is the input of a use case and nothing else: it is in no action, and so in no
/// journal, stream, log or state.
public struct Login: EffectfulModule {
    /// How far the login is.
    public struct State: ModuleState {
        /// How far the login is.
        public var progress = Progress.idle
        /// Why the last one failed.
        public var failure: String?

        /// No login was tried yet.
        public init() {}
    }

    /// How far a piece of work is.
    public enum Progress: String, ModuleState {
        /// Nothing was asked for.
        case idle
        /// It is under way.
        case loading
        /// It came to a good end.
        case loadSucceeded
        /// It came to a bad end.
        case loadFailed
    }

    /// What may be asked of it.
    public enum Action: ModuleAction {
        /// The visitor leaves.
        case loggedOut
    }

    /// The outputs of the interactor.
    public enum Internal: ModuleAction {
        /// The repository is being asked.
        case loading
        /// The name and the password are those of this user.
        case succeeded(user: Profile)
        /// No user has them, or the repository gave no answer.
        case failed(reason: String)
    }

    /// `POST /usecases/login/login` with a name and a password.
    public var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("login", "login", cancelInFlight: true) { (input: Credentials, context) in
                let interactor = LoginInteractor(
                    dispatcher: context.dispatcher(for: Internal.self),
                    users: try context.dependencies.users
                )
                try await interactor.login(userName: input.userName, password: input.password)
            }
        ]
    }

    /// Makes the module.
    public init() {}

    /// Never refused.
    public func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .loggedOut:
            state = State()
            return .none
        }
    }

    /// Translates the outputs into what is shown. Who has logged in is the business of another
    /// module.
    public func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .loading:
            state.progress = .loading
            state.failure = nil
            return .none
        case .succeeded(let user):
            state.progress = .loadSucceeded
            return .run { context in
                try await context.dispatch(User.start(.init(profile: user)))
            }
        case .failed(let reason):
            state.progress = .loadFailed
            state.failure = reason
            return .none
        }
    }
}

/// Ends what belongs to a user who has left.
public struct LoginPresenter: Presenter {
    /// Stops the user's module at a logout.
    public func stateDidUpdate(
        from old: Login.State?,
        to new: Login.State?,
        _ context: PresenterContext
    ) {
        guard let old, old.progress != .idle, new?.progress == .idle else { return }
        context.dispatch(User.stop)
    }
}
