public import StoreCore
public import StorePatterns

/// The interactor of the login. The interactor looks the user up in the repository, dispatches the
/// result, and logs the reason of a failure.
public final class LoginInteractor: Interactor<LoginOutput>, LoginUseCase {
    private let users: any UserRepository
    private let log: OperatorLog

    /// Makes an interactor that dispatches its outputs by `dispatcher`.
    public init(
        dispatcher: AnyDispatcher<LoginOutput>,
        users: any UserRepository,
        log: OperatorLog
    ) {
        self.users = users
        self.log = log
        super.init(dispatcher: dispatcher)
    }

    /// Dispatches `loading`, looks the user up, and dispatches `succeeded` or `failed`.
    public func login(userName: String, password: String) async throws {
        try await dispatcher.dispatch(.loading)
        try await dispatcher.dispatch(outcome(of: userName, password))
    }

    private func outcome(of name: String, _ password: String) async throws -> LoginOutput {
        do {
            return .succeeded(try await users.user(named: name, password: password))
        } catch let error as UserRepositoryError {
            log.warning("a login failed", logFields(name, password, error.reason))
            return .failed(reason: error.reason)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // Only the type of the error is logged, because the error's text may contain the
            // password.
            log.error("a login failed", logFields(name, password, "\(type(of: error))"))
            return .failed(reason: "The users can't be looked up at the moment.")
        }
    }

    /// Returns the fields of the log line. A field whose text contains the password is empty,
    /// because a visitor may have typed the password in place of the name.
    private func logFields(
        _ name: String,
        _ password: String,
        _ reason: String
    ) -> KeyValuePairs<String, String> {
        func textWithoutPassword(_ text: String) -> String {
            password.isEmpty || !text.contains(password) ? text : ""
        }
        return ["user": textWithoutPassword(name), "reason": textWithoutPassword(reason)]
    }
}
