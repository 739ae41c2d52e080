import DefaultUserInterface
public import StoreCore

/// The greeting on the home screen; absent while no user is logged in.
public struct GreetingViewModel: ViewModelWithState {
    /// The view is made of the user alone.
    public static let reads: [any ModuleInterface.Type] = [User.self]

    /// The text of the screen.
    public let text: String

    /// Makes the view; `nil` while no user is logged in.
    public init?(state: AppState) {
        guard let user = state.user.value else { return nil }
        text = "Hello \(user.profile.displayName)"
    }
}
