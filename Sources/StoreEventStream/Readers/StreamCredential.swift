/// The credential of a stream's owner: its end, and a test of its permissions.
package struct StreamCredential: Sendable {
    /// The number of seconds before the end at which the reader gets an event about it.
    package static let announcedSeconds: Int64 = 60

    /// The end in seconds since 1970; `nil` if the credential has no end.
    package let expires: Int64?
    /// Returns true if the owner may still read the stream. The writer's thread calls this closure
    /// when the stream opens, and when credentials or permissions have changed.
    package let isAllowed: @Sendable () -> Bool

    package init(expires: Int64?, isAllowed: @escaping @Sendable () -> Bool) {
        self.expires = expires
        self.isAllowed = isAllowed
    }
}
