/// A moment by which several steps together must be done.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(seconds: Int) {
        end = .now + .seconds(seconds)
    }

    /// Whether the moment has come.
    var isOver: Bool { ContinuousClock.now >= end }

    /// Whole seconds that are left, rounded up, never below 0.
    var left: Int {
        let rest = ContinuousClock.now.duration(to: end)
        return max(0, Int(rest.components.seconds) + (rest.components.attoseconds > 0 ? 1 : 0))
    }
}
