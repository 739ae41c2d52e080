/// One applied action as analytics see it; encoded by the writer, off the Core's thread.
struct AnalyticsEvent: Sendable {
    let version: UInt64
    /// Nanoseconds since 1970, as stamped by the Core.
    let time: Int64
    /// The action's wire name.
    let type: String
    /// The module that the action belongs to.
    let subject: String?
    /// What the action declares for analytics, if it does.
    let record: (any Encodable & Sendable)?
}
