/// One applied action as analytics see it.
package struct AnalyticsEvent: Sendable {
    package let version: UInt64
    /// Nanoseconds since 1970, as stamped by the Core.
    package let time: Int64
    /// The action's wire name, with `{id}` for an instance.
    package let type: String
    /// The module that the action belongs to, or the instance in it.
    package let subject: String?
    /// What the action declares for analytics, if it does.
    package let record: (any Encodable & Sendable)?

    /// The trace that the action is a part of (CloudEvents' extension for distributed tracing);
    /// `nil` where its request named none.
    package let traceparent: String?

    package init(
        version: UInt64,
        time: Int64,
        type: String,
        subject: String?,
        record: (any Encodable & Sendable)?,
        traceparent: String? = nil
    ) {
        self.traceparent = traceparent
        self.version = version
        self.time = time
        self.type = type
        self.subject = subject
        self.record = record
    }

    /// The same without what the action declares.
    var withoutRecord: AnalyticsEvent {
        AnalyticsEvent(
            version: version,
            time: time,
            type: type,
            subject: subject,
            record: nil,
            traceparent: traceparent
        )
    }
}
