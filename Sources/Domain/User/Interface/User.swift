public import StoreCore

/// The user who is logged in.
public enum User: StartableInterface {
    /// Who that is.
    public struct State: ModuleState {
        /// The user's profile.
        public var profile: Profile

        /// Names the user.
        public init(profile: Profile) {
            self.profile = profile
        }
    }

    /// The user who comes.
    public struct Start: Codable, Equatable, Sendable {
        /// The user's profile.
        public let profile: Profile

        /// Names the user.
        public init(profile: Profile) {
            self.profile = profile
        }
    }

    /// What may be asked of it.
    public enum Action: ModuleAction {
        /// The user changes the name that is shown.
        case edited(displayName: String)
    }
}
