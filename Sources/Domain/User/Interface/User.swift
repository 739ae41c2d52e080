public import StoreCore

/// The user who is logged in.
public enum User: StartableInterface {
    /// The slice of the user.
    public struct State: ModuleState {
        /// The user's profile.
        public var profile: Profile

        /// Makes the slice of a user.
        public init(profile: Profile) { self.profile = profile }
    }

    /// The input of a start: the user who has logged in.
    public struct Start: Codable, Equatable, Sendable {
        /// The user's profile.
        public let profile: Profile

        /// Makes the input of a start.
        public init(profile: Profile) { self.profile = profile }
    }

    /// Actions on the user.
    public enum Action: ModuleAction {
        /// The user changes the display name.
        case edited(displayName: String)
    }
}
