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
