/// An applied action, with the time that its reduction took.
package struct AppliedAction: Sendable, Equatable {
    package let version: UInt64
    /// The wire name of the action.
    package let type: String
    /// True if the action changed the state.
    package let changed: Bool
    /// The time that the reducer took.
    package let duration: Duration

    package init(version: UInt64, type: String, changed: Bool, duration: Duration) {
        self.version = version
        self.type = type
        self.changed = changed
        self.duration = duration
    }
}
