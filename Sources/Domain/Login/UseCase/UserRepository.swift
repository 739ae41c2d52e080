public import DefaultUserInterface
public import StoreCore

/// The users who may log in.
public protocol UserRepository: Sendable {
    /// Returns the user with this name and this password.
    ///
    /// - Throws: ``UserRepositoryError``.
    func user(named name: String, password: String) async throws -> Profile
}

/// The error of a repository that returns no user.
public struct UserRepositoryError: Error, Equatable {
    /// The reason, a sentence for the visitor; it never contains the password.
    public let reason: String

    /// Makes an error with its reason.
    public init(reason: String) { self.reason = reason }
}

/// A repository in memory: a dictionary of names with their passwords and profiles.
public struct MemoryUserRepository: UserRepository {
    private let users: [ExactText: (password: String, profile: Profile)]

    /// Makes a repository of these users.
    public init(_ users: [String: (password: String, profile: Profile)]) {
        self.users = Dictionary(users.map { (ExactText($0.key), $0.value) }) { first, _ in first }
    }

    /// Returns the user with this name and this password. Names and passwords are compared byte by
    /// byte.
    public func user(named name: String, password: String) throws(UserRepositoryError) -> Profile {
        guard let user = users[ExactText(name)], ExactText(user.password) == ExactText(password)
        else { throw UserRepositoryError(reason: "The name or the password is wrong.") }
        return user.profile
    }
}

/// The key of the repository in which the store looks users up.
public enum UserRepositoryKey: DependencyKey {
    /// A repository for trials. Its only user is `demo`, with the password `demo`.
    public static let live: any UserRepository = MemoryUserRepository([
        "demo": ("demo", Profile(userName: "demo", displayName: "Demo"))
    ])
}

extension Dependencies {
    /// The repository in which the store looks users up.
    public var users: any UserRepository {
        get throws { try self[UserRepositoryKey.self] }
    }
}
