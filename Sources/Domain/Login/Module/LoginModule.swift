public import DefaultLoginInterface
import DefaultLoginUseCases
import DefaultUserInterface
public import StoreCore
import StorePatterns

/// The module of the login. Its slice has the progress of the login.
struct LoginModule: EffectfulModule {
    typealias Interface = Login

    /// The outputs of the use case, as the journal has them.
    enum Internal: ModuleAction {
        /// The repository looks the user up.
        case loading
        /// The name and the password belong to this user.
        case succeeded(user: Profile)
        /// No user has this name and password, or the repository did not answer.
        case failed(reason: String)
    }

    /// The use case `POST /usecases/login/login`, with a name and a password.
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

    /// Resets the login at a logout.
    func reduce(_ state: inout State, _ action: Login.Action) -> Effect<State> {
        switch action {
        case .loggedOut:
            state = State()
            return .none
        }
    }

    /// Translates the outputs of the use case into the progress. After a success, an effect starts
    /// the module of the user.
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
    /// The presenter, which stops the module of the user after a logout.
    public static var presenter: some Presenter<State> { LoginPresenter() }
}
