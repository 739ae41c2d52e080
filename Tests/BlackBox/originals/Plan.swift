// swift-format-ignore-file

// The unchanged lines of Plan's README, within the code that they need. The lines that can't be
// kept word for word are in a table of docs/SEEDS.md.

import StoreCore
import StorePatterns

struct User {
    var name = ""
}

struct UserRepository {
    func login(userName: String, password: String) async throws -> User { User(name: userName) }
}

// Interactor

enum LoginUseCaseAction {
    case loading
    case login(Result<User, Error>)
}

protocol LoginUseCase {
    func login(userName: String, password: String) async throws
}

class LoginInteractor: Interactor<LoginUseCaseAction>, LoginUseCase {
    let userRepository = UserRepository()

    func login(userName: String, password: String) async throws {
        try await dispatcher.dispatch(.loading)
        do {
            let user = try await userRepository.login(userName: userName, password: password)
            try await dispatcher.dispatch(.login(.success(user)))
        } catch {
            try await dispatcher.dispatch(.login(.failure(error)))
        }
    }
}

// Store

enum LoginProgress {
    case loading, loadSucceeded, loadFailed
}

struct LoginViewModel {
    var user: User?
    var loginProgress: LoginProgress?
}

final class LoginStore: Sendable {
    let viewModel = BehaviorRelay(value: LoginViewModel())
}

// Translator

struct LoginTranslator: Translator {
    func translate(action: LoginUseCaseAction, store: inout LoginStore) {
        switch action {
        case .loading:
            store.viewModel.modify { viewModel in
                viewModel.loginProgress = .loading
            }

        case .login(.success(let user)):
            store.viewModel.modify { viewModel in
                viewModel.user = user
                viewModel.loginProgress = .loadSucceeded
            }

        case .login(.failure(let error)):
            print("login failed \(error)")
            store.viewModel.modify { viewModel in
                viewModel.loginProgress = .loadFailed
            }
        }
    }
}

// Presenter

func present(_ store: LoginStore) -> LoginInteractor {
    let dispatcher = AnyDispatcher<LoginUseCaseAction> { action in
        var shown = store
        LoginTranslator().translate(action: action, store: &shown)
    }
    store.viewModel.observe { viewModel in print(viewModel) }
    return LoginInteractor(dispatcher: dispatcher)
}
