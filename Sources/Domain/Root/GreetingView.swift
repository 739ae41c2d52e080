import DefaultUserInterface
public import StoreCore

/// What the home screen shows of the user; nothing while no user is logged in.
public struct GreetingViewModel: ViewModelWithState {
    /// It is made of the user alone.
    public static let reads: [any ModuleInterface.Type] = [User.self]

    /// The text of the screen.
    public let text: String

    /// `nil` while no user is logged in.
    public init?(state: AppState) {
        guard let user = state.user.value else { return nil }
        text = "Hello \(user.profile.displayName)"
    }
}
