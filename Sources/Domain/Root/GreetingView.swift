import DefaultUserInterface
public import StoreCore

/// The greeting on the home screen; absent while no user is logged in.
public struct GreetingViewModel: ViewModelWithState {
    /// The view reads only the slice of the user.
    public static let reads: [any ModuleInterface.Type] = [User.self]

    /// The text of the screen.
    public let text: String

    /// Makes the view. Returns `nil` while no user is logged in.
    public init?(state: AppState) {
        guard let user = state.user.value else { return nil }
        text = "Hello \(user.profile.displayName)"
    }
}
