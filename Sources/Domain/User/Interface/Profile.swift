public import StoreCore

/// The fields of a user that other modules may see.
public struct Profile: ModuleState {
    /// The name with which the user logs in.
    public let userName: String
    /// The name of the user on screens.
    public var displayName: String

    /// Makes a profile.
    public init(userName: String, displayName: String) {
        self.userName = userName
        self.displayName = displayName
    }
}
