/// A moment by which several steps together must be done.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    package init(seconds: Double) {
        end = .now + .seconds(seconds)
    }

    /// True if the moment has come.
    package var isOver: Bool { ContinuousClock.now >= end }

    /// Seconds that are left, never below 0.
    package var left: Double {
        max(0, ContinuousClock.now.duration(to: end) / .seconds(1))
    }
}
