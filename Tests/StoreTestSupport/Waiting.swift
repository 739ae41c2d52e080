import StorePlatform
public import Testing

/// The longest wait of a test for a condition, in seconds: a machine with much other work meets it.
public let waitSecondsMax = 60

/// Waits until a condition holds, and fails the test in words where it does not in time.
///
/// ```swift
/// wait("the pool has an idle thread") { pool.counts.idle > 0 }
/// ```
///
/// A bare loop would hang in place of failing, and the run's bound would name no test. Between two
/// looks the thread gives way.
///
/// - Parameters:
///   - words: the condition as a sentence, for the failure.
///   - seconds: the bound of the wait.
///   - place: the line of the test, for the failure.
///   - condition: is looked at until it holds, on the caller's thread.
/// - Returns: whether the condition holds.
@discardableResult
public func wait(
    _ words: String,
    seconds: Int = waitSecondsMax,
    at place: SourceLocation = #_sourceLocation,
    until condition: () throws -> Bool
) rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard .now < end else {
            Issue.record("Not within \(seconds) s: \(words).", sourceLocation: place)
            return false
        }
        SystemThread.giveWay()
    }
    return true
}
