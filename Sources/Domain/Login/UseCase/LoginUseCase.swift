public import DefaultUserInterface

/// Logging in, as its caller sees it.
public protocol LoginUseCase {
    /// Looks the user up, and dispatches the outcome.
    func login(userName: String, password: String) async throws
}

/// What comes of a login; who presents it translates that.
public enum LoginOutput: Equatable, Sendable {
    /// The repository is being asked.
    case loading
    /// The name and the password are those of this user.
    case succeeded(Profile)
    /// No user has them, or the repository gave no answer.
    case failed(reason: String)
}
