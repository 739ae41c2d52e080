public import StoreCore

/// The fields of a user that other modules may see.
public struct Profile: ModuleState {
    /// The name that the user logs in with.
    public let userName: String
    /// The name under which the user is shown.
    public var displayName: String

    /// Makes a profile.
    public init(userName: String, displayName: String) {
        self.userName = userName
        self.displayName = displayName
    }
}
