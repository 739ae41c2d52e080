/// Threads that sleep until there is work for them, or for long enough without.
///
/// Their owner counts those that sleep and have not been woken, under its lock. It takes one off
/// the count there, and calls ``wake()`` where it does not hold the lock.
@usableFromInline
struct Sleepers: Sendable {
    private let signals = TimedSemaphore()
    private let idleSecondsMax: Double?

    /// - Parameter idleSecondsMax: how long a thread sleeps at the most; `nil` sets no bound.
    init(idleSecondsMax: Double?) {
        self.idleSecondsMax = idleSecondsMax
    }

    /// Wakes a thread that was taken off the count.
    @usableFromInline
    func wake() {
        signals.signal()
    }

    /// The same for several.
    func wake(_ count: Int) {
        for _ in 0..<count { signals.signal() }
    }

    /// Sleeps, after the thread was counted.
    ///
    /// - Parameter leave: takes a thread off the count, and returns whether there was one.
    /// - Returns: `false` where the thread was not woken for long enough.
    func sleep(orElse leave: () -> Bool) -> Bool {
        guard let idleSecondsMax else {
            signals.wait()
            return true
        }
        if signals.wait(seconds: idleSecondsMax) { return true }
        if leave() { return false }
        // All that slept have been woken, and one of the signals is for this thread.
        signals.wait()
        return true
    }
}
