/// Follows the published versions, on the Core's thread.
package protocol VersionFollower: AnyObject, Sendable {
    /// Everything up to a version is published.
    func published(_ version: UInt64)
}
