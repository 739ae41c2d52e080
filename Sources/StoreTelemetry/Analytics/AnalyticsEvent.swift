/// The data of one applied action for analytics.
package struct AnalyticsEvent: Sendable {
    package let version: UInt64
    /// The Core's time stamp, in nanoseconds since 1970.
    package let time: Int64
    /// The action's wire name. For an action of an instance, the name has `{id}` in place of the
    /// instance's id.
    package let type: String
    /// The module of the action, with the instance if the module has several.
    package let subject: String?
    /// The value that the action declares for analytics, if it declares any.
    package var declaredValue: (any Encodable & Sendable)?
    /// The trace of the action (CloudEvents' extension for distributed tracing); `nil` if the
    /// action's request named no trace.
    package let traceparent: String?

    package init(
        version: UInt64,
        time: Int64,
        type: String,
        subject: String?,
        declaredValue: (any Encodable & Sendable)?,
        traceparent: String? = nil
    ) {
        self.version = version
        self.time = time
        self.type = type
        self.subject = subject
        self.declaredValue = declaredValue
        self.traceparent = traceparent
    }
}
