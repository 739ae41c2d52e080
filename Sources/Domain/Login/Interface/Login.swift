public import StoreCore

/// Logging in: how far it is, and what came of it.
///
/// The password is the input of a use case and nothing else: it is in no action, and so in no
/// journal, stream, log or state.
public enum Login: ModuleInterface {
    /// How far the login is.
    public struct State: ModuleState {
        /// How far the login is.
        public var progress = Progress.idle
        /// Why the last one failed.
        public var failure: String?

        /// No login was tried yet.
        public init() {}
    }

    /// How far a piece of work is.
    public enum Progress: String, ModuleState {
        /// Nothing was asked for.
        case idle
        /// It is under way.
        case loading
        /// It came to a good end.
        case loadSucceeded
        /// It came to a bad end.
        case loadFailed
    }

    /// What may be asked of it.
    public enum Action: ModuleAction {
        /// The visitor leaves.
        case loggedOut
    }
}

/// What a visitor types to log in: the input of `POST /usecases/login/login`.
public struct Credentials: Codable, Sendable {
    /// The name.
    public let userName: String
    /// The password, which is kept nowhere.
    public let password: String

    /// Makes the input.
    public init(userName: String, password: String) {
        self.userName = userName
        self.password = password
    }
}
