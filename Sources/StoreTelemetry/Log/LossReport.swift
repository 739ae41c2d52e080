/// Decides what the log has of lost events: that losing has begun, and that it is over. However
/// often the two take turns, that is at most two lines a minute.
package struct LossReport: Sendable {
    /// How long the log has no line of another loss.
    static let quietSeconds = 60

    private var saidAt: ContinuousClock.Instant?
    private var isOpen = false

    package init() {}

    /// Something is lost. Returns whether to write a line about it.
    package mutating func lost(at now: ContinuousClock.Instant) -> Bool {
        if let saidAt, saidAt.duration(to: now) < .seconds(Self.quietSeconds) { return false }
        saidAt = now
        isOpen = true
        return true
    }

    /// Something is written. Returns whether to write that a loss which has a line is over.
    package mutating func wrote() -> Bool {
        defer { isOpen = false }
        return isOpen
    }
}
