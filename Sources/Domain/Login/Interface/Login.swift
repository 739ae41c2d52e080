public import StoreCore

/// The login of a visitor: its progress and its result.
///
/// Only the input of a use case has the password. No action has the password, so the password is in
/// no journal, stream, log or state.
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

    /// The progress of a login.
    public enum Progress: String, ModuleState {
        /// The login has not begun.
        case idle
        /// The login is under way.
        case loading
        /// The login has succeeded.
        case loadSucceeded
        /// The login has failed.
        case loadFailed
    }

    /// Actions of the visitor.
    public enum Action: ModuleAction {
        /// The visitor logs out.
        case loggedOut
    }
}

/// The input of `POST /usecases/login/login`: the name and the password that a visitor types.
public struct Credentials: Codable, Sendable {
    /// The name of the user.
    public let userName: String
    /// The password, which the server keeps nowhere.
    public let password: String

    /// Makes the input.
    public init(userName: String, password: String) {
        self.userName = userName
        self.password = password
    }
}
