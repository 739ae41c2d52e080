/// An event that happens once, and that any number of threads may wait for.
package final class Latch: Sendable {
    private let opened = TimedSemaphore()

    /// Makes a latch that is closed.
    package init() {}

    /// Ends all waits, those that are to come among them. Any thread, once or several times.
    package func open() {
        opened.signal()
    }

    /// Waits until the latch is open; returns whether it was before the seconds were over.
    package func wait(seconds: Double = .infinity) -> Bool {
        guard opened.wait(seconds: seconds) else { return false }
        // For the next thread that waits.
        opened.signal()
        return true
    }
}
