/// An event that happens once. Any number of threads may wait for it.
package final class Latch: Sendable {
    private let opened = TimedSemaphore()

    /// Makes a latch that is closed.
    package init() {}

    /// Ends all waits, also future ones. Any thread may call it, once or several times.
    package func open() {
        opened.signal()
    }

    /// Waits until the latch is open. Returns false if the seconds are over before.
    package func wait(seconds: Double = .infinity) -> Bool {
        guard opened.wait(seconds: seconds) else { return false }
        // Passes the signal on to the next waiting thread.
        opened.signal()
        return true
    }
}
