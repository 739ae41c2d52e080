/// The version that the state must have for an envelope to be applied. An object, because most
/// envelopes have no condition.
package final class VersionCondition: Sendable {
    /// The changes after the version that violate the condition.
    package enum Scope: Sendable {
        /// All changes: no other version fulfils the condition.
        case version
        /// The changes that the client sees: changes of its session's view and, if its role sees
        /// only some members, of these members.
        case visible((@Sendable (_ member: Int) -> Bool)?)
        /// The changes of these members of the state, as far as the session sees them.
        case members(@Sendable (_ member: Int) -> Bool)
    }

    package let version: UInt64
    package let scope: Scope

    package init(_ version: UInt64, _ scope: Scope = .visible(nil)) {
        self.version = version
        self.scope = scope
    }
}
