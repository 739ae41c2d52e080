/// The pace of work for readers while clients dispatch actions. A thread that serves readers pauses
/// for four times as long as it worked, so it takes a fifth of a processor.
///
/// There are no pauses while clients dispatch few actions. A pause is due after a millisecond of
/// work, and lasts a quarter of a second at most.
package struct ReaderPace: Sendable {
    /// The size in bytes from which a thread may pause before it sends an answer. A smaller answer
    /// is sent at once.
    package static let pacedAnswerBytesMin = 256 << 10
    /// The number of versions per second from which the server counts as busy.
    package static let busyVersionsPerSecond = 2_000.0
    /// The shortest time over which versions are counted. In a shorter time, a few versions in a
    /// row would look like a load.
    static let windowSeconds = 0.01
    /// The time that a thread works before it pauses.
    static let workSecondsMax = 0.001
    /// The length of a pause as a multiple of the work before the pause.
    package static let pauseFactor = 4.0
    /// The bounds of a pause. A shorter pause is not worth a system call.
    static let pauseSecondsMin = 0.001
    package static let pauseSecondsMax = 0.25

    /// True if the Core made many versions in the last measured time.
    package private(set) var isBusy = false
    private var window: (began: Double, version: UInt64)?
    /// The time at which the work since the last pause began.
    private var workStartSeconds = 0.0

    package init() {}

    /// Records that the thread begins to work, after a pause or after a time without work. All
    /// times in calls are times of `SystemTime.steadySeconds()`.
    package mutating func beginWork(at now: Double) { workStartSeconds = now }

    /// Records the newest version. The number of versions since an earlier call determines
    /// ``isBusy``.
    package mutating func noteVersion(_ version: UInt64, at now: Double) {
        guard let window else {
            self.window = (now, version)
            return
        }
        let seconds = now - window.began
        guard seconds >= Self.windowSeconds else { return }
        let versions = version > window.version ? version - window.version : 0
        isBusy = Double(versions) >= Self.busyVersionsPerSecond * seconds
        self.window = (now, version)
    }

    /// Returns true if the thread has worked long enough for a pause.
    package func isPauseDue(at now: Double) -> Bool {
        isBusy && now - workStartSeconds >= Self.workSecondsMax
    }

    /// Returns the length of the pause that follows the work until now; `nil` if the server is not
    /// busy. `others` is the time that other threads have worked for the same readers.
    package func pauseSeconds(at now: Double, otherWorkSeconds others: Double = 0) -> Double? {
        guard isBusy else { return nil }
        let seconds = (now - workStartSeconds + others) * Self.pauseFactor
        return min(max(seconds, Self.pauseSecondsMin), Self.pauseSecondsMax)
    }
}
