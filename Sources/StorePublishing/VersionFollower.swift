/// An observer of the published versions, on the Core's thread.
package protocol VersionFollower: AnyObject, Sendable {
    /// Called after all versions up to `version` are published.
    func published(_ version: UInt64)
}
