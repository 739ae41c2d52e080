public import StoreCore

/// The fields of a user that others may see.
public struct Profile: ModuleState {
    /// The name that the user logs in with.
    public let userName: String
    /// The name that the user is shown by.
    public var displayName: String

    /// Makes a profile.
    public init(userName: String, displayName: String) {
        self.userName = userName
        self.displayName = displayName
    }
}

/// The user who is logged in.
public struct User: StartableModule {
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

    /// A client that could start it would be logged in without a password.
    public static let lifecycleAccess = LifecycleAccess.program

    /// The most bytes of a name.
    public static let nameBytesMax = 200

    /// Makes the module.
    public init() {}

    /// The user who has logged in.
    public func begin(_ start: Start) -> State { State(profile: start.profile) }

    /// Refused where the name is empty or too long.
    public func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .edited(let name):
            guard 1...Self.nameBytesMax ~= name.utf8.count else {
                throw Refusal(
                    reason: "A name has 1 to \(Self.nameBytesMax) bytes.",
                    pointer: "/displayName"
                )
            }
            state.profile.displayName = name
        }
    }
}

/// What the home screen shows of the user; nothing while no user is logged in.
public struct GreetingViewModel: ViewModelWithState {
    /// It is made of the user alone.
    public static let reads: [any Module.Type] = [User.self]

    /// The text of the screen.
    public let text: String

    /// `nil` while no user is logged in.
    public init?(state: AppState) {
        guard let user = state.user.value else { return nil }
        text = "Hello \(user.profile.displayName)"
    }
}
