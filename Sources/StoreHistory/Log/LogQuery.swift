/// What a page of the log has.
package struct LogQuery: Sendable {
    /// The version that the page begins after; `nil` for the oldest that there is.
    package var after: UInt64?
    /// The most records.
    package var limit: UInt64
    /// Only records of this wire name; `nil` for all.
    package var type: String?
    /// Only records that come of this version, directly or by way of others; `nil` for all.
    package var cause: UInt64?

    package init(
        after: UInt64? = nil,
        limit: UInt64,
        type: String? = nil,
        cause: UInt64? = nil
    ) {
        self.after = after
        self.limit = limit
        self.type = type
        self.cause = cause
    }
}
