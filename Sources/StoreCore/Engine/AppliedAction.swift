/// An action that was applied, with how long that took.
package struct AppliedAction: Sendable, Equatable {
    package let version: UInt64
    /// Its wire name.
    package let type: String
    /// Whether it changed the state.
    package let changed: Bool
    /// How long the reducer took.
    package let duration: Duration

    package init(version: UInt64, type: String, changed: Bool, duration: Duration) {
        self.version = version
        self.type = type
        self.changed = changed
        self.duration = duration
    }
}
