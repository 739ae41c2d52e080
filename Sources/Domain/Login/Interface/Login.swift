public import StoreCore

/// The login of a visitor: its progress and its result.
///
/// The password is the input of a use case and nothing else. No action has the password, and so no
/// journal, stream, log or state has it.
public enum Login: ModuleInterface {
    /// The progress of the login.
    public struct State: ModuleState {
        /// The progress of the login.
        public var progress = Progress.idle
        /// The reason why the last login failed; `nil` if it did not fail.
        public var failure: String?

        /// Makes the slice before any login.
        public init() {}
    }

    /// The progress of a piece of work.
    public enum Progress: String, ModuleState {
        /// The work has not begun.
        case idle
        /// The work is under way.
        case loading
        /// The work has succeeded.
        case loadSucceeded
        /// The work has failed.
        case loadFailed
    }

    /// Actions of the visitor.
    public enum Action: ModuleAction {
        /// The visitor logs out.
        case loggedOut
    }
}

/// The input of `POST /usecases/login/login`, which a visitor types.
public struct Credentials: Codable, Sendable {
    /// The name of the user.
    public let userName: String
    /// The password, which is kept nowhere.
    public let password: String

    /// Makes the input.
    public init(userName: String, password: String) {
        self.userName = userName
        self.password = password
    }
}
