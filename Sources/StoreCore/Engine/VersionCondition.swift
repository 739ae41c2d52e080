/// The version that the state must have for an envelope to be applied. An object, because most
/// envelopes have none.
package final class VersionCondition: Sendable {
    /// The changes since the version that spoil the condition.
    package enum Scope: Sendable {
        /// All: no other version will do.
        case version
        /// Those that the client sees: of its session and, if its role sees some of the members
        /// alone, of these.
        case visible((@Sendable (_ member: Int) -> Bool)?)
        /// Those of these members of the state, as far as the session sees them.
        case members(@Sendable (_ member: Int) -> Bool)
    }

    package let version: UInt64
    package let scope: Scope

    package init(_ version: UInt64, _ scope: Scope = .visible(nil)) {
        self.version = version
        self.scope = scope
    }
}
