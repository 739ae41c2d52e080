import StorePlatform
import Synchronization

/// Notices when the time of day is set ahead, or when the machine has slept: credentials may have
/// ended then, although no timer has fired.
///
/// Timers use a clock that is never set, so that a step does not end them early or late.
final class ClockSteps: Sendable {
    /// The smallest step that counts; a time service that adjusts the clock makes smaller steps.
    static let secondsMin = 1.0

    private let offset = Locked(ClockSteps.offset)
    private let onStep: @Sendable () -> Void

    /// Begins to compare the two clocks.
    ///
    /// - Parameter onStep: called by ``look()``, on its thread, after each step ahead.
    init(_ onStep: @escaping @Sendable () -> Void) { self.onStep = onStep }

    /// Checks if the time of day has been set ahead since the last call.
    func look() {
        let isAhead = offset.withLock { last in
            let now = Self.offset
            defer { last = now }
            return now - last >= Self.secondsMin
        }
        if isAhead { onStep() }
    }

    /// The time of day minus the clock that is never set, in seconds.
    private static var offset: Double {
        Double(SystemTime.wallNanoseconds()) / 1e9 - SystemTime.steadySeconds()
    }
}
