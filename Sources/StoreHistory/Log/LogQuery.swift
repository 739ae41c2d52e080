/// The query of a client for a page of the log.
package struct LogQuery: Sendable {
    /// The version after which the page begins; `nil` for the oldest version.
    package var after: UInt64?
    /// The most records.
    package var limit: UInt64
    /// The wire name of the records; `nil` for all.
    package var type: String?
    /// The version from which the records follow, directly or through other records; `nil` for all
    /// records.
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
