public import DefaultLoginInterface
import DefaultLoginUseCases
import DefaultUserInterface
public import StoreCore
import StorePatterns

/// Shows how far a login is, and who has logged in.
struct LoginModule: EffectfulModule {
    typealias Interface = Login

    /// The outputs of the use case, as the journal has them.
    enum Internal: ModuleAction {
        /// The repository is being asked.
        case loading
        /// The name and the password are those of this user.
        case succeeded(user: Profile)
        /// No user has them, or the repository gave no answer.
        case failed(reason: String)
    }

    /// `POST /usecases/login/login` with a name and a password.
    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("login", "login", cancelInFlight: true) { (input: Credentials, context) in
                let interactor = LoginInteractor(
                    dispatcher: context.dispatcher(for: Internal.self).map(Internal.init),
                    users: try context.dependencies.users,
                    log: context.dependencies.log
                )
                try await interactor.login(userName: input.userName, password: input.password)
            }
        ]
    }

    /// Never refused.
    func reduce(_ state: inout State, _ action: Login.Action) -> Effect<State> {
        switch action {
        case .loggedOut:
            state = State()
            return .none
        }
    }

    /// Translates the outputs into what is shown. Who has logged in is the business of another
    /// module.
    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
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

extension LoginModule.Internal {
    /// The same output in the module's words.
    init(_ output: LoginOutput) {
        self =
            switch output {
            case .loading: .loading
            case .succeeded(let user): .succeeded(user: user)
            case .failed(let reason): .failed(reason: reason)
            }
    }
}

extension Login {
    /// The module, for the program that mounts it.
    public static var module: some Module<State> { LoginModule() }
    /// Ends what belongs to a user who has left.
    public static var presenter: some Presenter<State> { LoginPresenter() }
}
