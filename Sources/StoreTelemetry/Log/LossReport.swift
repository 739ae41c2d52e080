/// Decides when the log has a line about lost events: when losses begin, and when they end. The log
/// gets at most two lines a minute, however often losses begin and end.
package struct LossReport: Sendable {
    /// The shortest time between two lines about losses.
    static let quietSeconds = 60

    private var saidAt: ContinuousClock.Instant?
    private var isOpen = false

    package init() {}

    /// Records a loss. Returns true if the log needs a line about it.
    package mutating func lost(at now: ContinuousClock.Instant) -> Bool {
        if let saidAt, saidAt.duration(to: now) < .seconds(Self.quietSeconds) { return false }
        saidAt = now
        isOpen = true
        return true
    }

    /// Records a success. Returns true if the log has a line about a loss and needs a line about
    /// its end.
    package mutating func wrote() -> Bool {
        defer { isOpen = false }
        return isOpen
    }
}
