public import StoreCore
public import StorePatterns

/// What a visitor types to log in.
public struct Credentials: Codable, Sendable {
    /// The name.
    public let userName: String
    /// The password, which is kept nowhere.
    public let password: String
}

/// Logging in, as its caller sees it.
public protocol LoginUseCase {
    /// Looks the user up, and dispatches the outcome.
    func login(userName: String, password: String) async throws
}

/// Asks the repository, and dispatches what it finds.
public final class LoginInteractor: Interactor<Login.Internal>, LoginUseCase, @unchecked Sendable {
    // Safety: it has constants only.
    private let users: any UserRepository

    /// Makes an interactor whose outputs go to `dispatcher`.
    public init(dispatcher: AnyDispatcher<Login.Internal>, users: any UserRepository) {
        self.users = users
        super.init(dispatcher: dispatcher)
    }

    /// Loading, and then success or failure.
    public func login(userName: String, password: String) async throws {
        try await dispatcher.dispatch(.loading)
        do {
            let user = try await users.user(named: userName, password: password)
            try await dispatcher.dispatch(.succeeded(user: user))
        } catch let error as UserRepositoryError {
            try await dispatcher.dispatch(.failed(reason: error.reason))
        }
    }
}

/// Has the users who may log in.
public protocol UserRepository: Sendable {
    /// The user of this name and password.
    ///
    /// - Throws: ``UserRepositoryError``.
    func user(named name: String, password: String) async throws -> Profile
}

/// Why a repository gives no user.
public struct UserRepositoryError: Error, Equatable {
    /// A sentence for the one who tried; without the password.
    public let reason: String

    /// Gives the reason.
    public init(reason: String) {
        self.reason = reason
    }
}

/// A repository that is part of the program: a list of names with their passwords.
public struct MemoryUserRepository: UserRepository {
    private let users: [ExactText: (password: String, profile: Profile)]

    /// Makes a repository of these users.
    public init(_ users: [String: (password: String, profile: Profile)]) {
        self.users = Dictionary(users.map { (ExactText($0.key), $0.value) }) { first, _ in first }
    }

    /// The user of this name and password, both byte for byte.
    public func user(named name: String, password: String) throws(UserRepositoryError) -> Profile {
        guard let user = users[ExactText(name)], ExactText(user.password) == ExactText(password)
        else {
            throw UserRepositoryError(reason: "The name or the password is wrong.")
        }
        return user.profile
    }
}

/// Where the store looks users up.
public enum UserRepositoryKey: DependencyKey {
    /// One user to try it with: `demo`, whose password is `demo`.
    public static let live: any UserRepository = MemoryUserRepository([
        "demo": ("demo", Profile(userName: "demo", displayName: "Demo"))
    ])
}

extension Dependencies {
    /// Where the store looks users up.
    public var users: any UserRepository {
        get throws { try self[UserRepositoryKey.self] }
    }
}
