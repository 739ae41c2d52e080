import StorePlatform
public import Testing

/// The longest wait of a test for a condition, in seconds. The bound has room for a busy machine.
public let waitSecondsMax = 60

/// Waits until a condition holds. After the bound, fails the test with the words of the condition.
///
/// ```swift
/// wait("the pool has an idle thread") { pool.counts.idle > 0 }
/// ```
///
/// A bare loop would hang instead of failing, and the bound of the run would name no test. Between
/// two checks the thread yields.
///
/// - Parameters:
///   - words: the condition as a sentence, for the failure.
///   - seconds: the bound of the wait.
///   - place: the line of the test, for the failure.
///   - condition: the function that is called on the caller's thread until it returns true.
/// - Returns: true if the condition holds.
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
        SystemThread.yield()
    }
    return true
}

/// Works for longer than a turn of a pool may last.
package func useUpTurn() {
    let began = SystemTime.steadyNanoseconds()
    while SystemTime.steadyNanoseconds() - began < ThreadPool.turnNanosecondsMax {}
}
