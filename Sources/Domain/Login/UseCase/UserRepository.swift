public import DefaultUserInterface
public import StoreCore

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
