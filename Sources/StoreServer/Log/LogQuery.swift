/// What a page of the log has.
struct LogQuery: Sendable {
    /// The version that the page begins after; `nil` for the oldest that there is.
    var after: UInt64?
    /// The most records.
    var limit: UInt64
    /// Only records of this wire name; `nil` for all.
    var type: String?
    /// Only records that come of this version, directly or by way of others; `nil` for all.
    var cause: UInt64?
}
