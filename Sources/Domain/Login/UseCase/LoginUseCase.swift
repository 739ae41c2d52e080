public import DefaultUserInterface

/// The use case of the login, for its callers.
public protocol LoginUseCase {
    /// Looks the user up, and dispatches the outcome.
    func login(userName: String, password: String) async throws
}

/// The outputs of a login, which the module translates into its own actions.
public enum LoginOutput: Equatable, Sendable {
    /// The repository looks the user up.
    case loading
    /// The name and the password belong to this user.
    case succeeded(Profile)
    /// No user has this name and password, or the repository did not answer.
    case failed(reason: String)
}
