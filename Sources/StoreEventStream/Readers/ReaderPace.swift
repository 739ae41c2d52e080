/// How fast readers are served while others dispatch: a thread that works for them pauses for four
/// times as long as it worked, a little at a time, so that it takes a fifth of a processor.
///
/// While few actions come there are no pauses, and a pause has a bound.
package struct ReaderPace: Sendable {
    /// From how many bytes on an answer is paced: the event loop sends fewer at once.
    package static let answerBytesMin = 256 << 10
    /// How many versions a second are many.
    package static let busyVersions = 2_000.0
    /// For how long they are counted at the least: a few that come together are no load.
    static let windowSeconds = 0.01
    /// For how long a thread works before it pauses.
    static let workSecondsMax = 0.001
    /// How many times as long as the work the pause is.
    package static let pauseFactor = 4.0
    /// The bounds of a pause. Shorter ones are not worth going to sleep for.
    static let pauseSecondsMin = 0.001
    package static let pauseSecondsMax = 0.25

    /// Whether many versions came lately.
    package private(set) var isBusy = false
    private var window: (began: Double, version: UInt64)?
    /// When the work began that no pause has followed yet.
    private var began = 0.0

    package init() {}

    /// Notes that work begins, after a pause or when there was none to do. Times are those of
    /// `SystemTime.steadySeconds()`.
    package mutating func begin(at now: Double) {
        began = now
    }

    /// Notes the newest version.
    package mutating func saw(_ version: UInt64, at now: Double) {
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

    /// Whether it has worked for so long that there is to be a pause.
    package func isDue(at now: Double) -> Bool {
        isBusy && now - began >= Self.workSecondsMax
    }

    /// For how long to pause after this work, and after the seconds that another thread has worked
    /// for the same; `nil` where nothing is held up by it.
    package func pauseSeconds(at now: Double, besides others: Double = 0) -> Double? {
        guard isBusy else { return nil }
        let seconds = (now - began + others) * Self.pauseFactor
        return min(max(seconds, Self.pauseSecondsMin), Self.pauseSecondsMax)
    }
}
