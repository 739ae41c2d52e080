/// By what the owner of a stream showed who it is, and for how long that is good.
package struct StreamCredential: Sendable {
    /// How long before its end the reader gets an event about it.
    package static let announcedSeconds: Int64 = 60

    /// The second since 1970 with which it ends; `nil` where it has no end.
    package let expires: Int64?
    /// Whether the stream is still allowed to its owner. Asked on the writer's thread, when
    /// credentials or permissions have changed.
    package let isAllowed: @Sendable () -> Bool

    package init(expires: Int64?, isAllowed: @escaping @Sendable () -> Bool) {
        self.expires = expires
        self.isAllowed = isAllowed
    }
}
