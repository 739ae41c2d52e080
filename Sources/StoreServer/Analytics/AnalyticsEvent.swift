/// One applied action as analytics see it.
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

    /// The same without what the action declares.
    var withoutRecord: AnalyticsEvent {
        AnalyticsEvent(version: version, time: time, type: type, subject: subject, record: nil)
    }
}
