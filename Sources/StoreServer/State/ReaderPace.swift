import Glibc

/// How fast readers are served while others dispatch: the thread that works for them pauses after each
/// turn, so that it takes a fifth of a processor at the most.
///
/// While few actions come there are no pauses. Pauses have a bound, so readers are behind what is
/// published by that and one turn at the most, however much a turn costs.
struct ReaderPace {
    /// How many versions a second are many.
    static let busyVersions = 2_000.0
    /// For how long they are counted at the least: a few that come together are no load.
    static let windowSeconds = 0.01
    /// How many times as long as the turn the pause is.
    static let pauseFactor = 4.0
    /// The bounds of a pause. Shorter ones are not worth going to sleep for.
    static let pauseSecondsMin = 0.001
    static let pauseSecondsMax = 0.1

    /// Whether many versions came lately.
    private(set) var isBusy = false
    private var window: (began: Double, version: UInt64)?

    /// Notes the newest version. Times are those of any steady clock, in seconds.
    mutating func saw(_ version: UInt64, at now: Double) {
        guard let window else {
            self.window = (now, version)
            return
        }
        let seconds = now - window.began
        guard seconds >= Self.windowSeconds else { return }
        let versions = version > window.version ? version - window.version : 0
        isBusy = Double(versions) >= Self.busyVersions * seconds
        self.window = (now, version)
    }

    /// How long to pause after a turn that took so long; `nil` where nothing is held up by it.
    func pauseSeconds(after seconds: Double) -> Double? {
        guard isBusy else { return nil }
        return min(max(seconds * Self.pauseFactor, Self.pauseSecondsMin), Self.pauseSecondsMax)
    }
}

/// Seconds of a clock that is never set.
enum SteadyTime {
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
