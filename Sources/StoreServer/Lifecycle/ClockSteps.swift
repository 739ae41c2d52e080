import StorePlatform
import Synchronization

/// Notices when the time of day is set ahead, or when the machine has slept: credentials may have
/// ended with that, although no timer knows it.
///
/// Timers go by a clock that is never set, so that a step does not end them early or late.
final class ClockSteps: Sendable {
    /// Smaller steps are those of a clock that is kept in step by a time service.
    static let secondsMin = 1.0

    private let offset = Locked(ClockSteps.offset)
    private let onStep: @Sendable () -> Void

    /// - Parameter onStep: called on the thread that looks, behind each step ahead.
    init(_ onStep: @escaping @Sendable () -> Void) { self.onStep = onStep }

    /// Looks whether the time of day has been set ahead since the last look.
    func look() {
        let isAhead = offset.withLock { last in
            let now = Self.offset
            defer { last = now }
            return now - last >= Self.secondsMin
        }
        if isAhead { onStep() }
    }

    /// How far the time of day is ahead of the clock that is never set, in seconds.
    private static var offset: Double {
        Double(SystemTime.wallNanoseconds()) / 1e9 - SystemTime.steadySeconds()
    }
}
