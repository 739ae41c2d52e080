/// Threads that sleep until there is work for them, or until they have been idle for too long.
///
/// The owner counts the sleeping threads that have not been woken, under its own lock. To wake a
/// thread, the owner lowers the count under the lock, releases the lock, and calls ``wake()``.
@usableFromInline
struct Sleepers: Sendable {
    private let signals = TimedSemaphore()
    private let idleSecondsMax: Double?

    /// - Parameter idleSecondsMax: the longest sleep of a thread; `nil` sets no bound.
    init(idleSecondsMax: Double?) {
        self.idleSecondsMax = idleSecondsMax
    }

    /// Wakes a thread that was taken off the count.
    @usableFromInline
    func wake() {
        signals.signal()
    }

    /// Wakes several threads that were taken off the count.
    func wake(_ count: Int) {
        for _ in 0..<count { signals.signal() }
    }

    /// Sleeps until a call of ``wake()``. The caller has counted the thread as sleeping.
    ///
    /// - Parameter leave: takes a thread off the count, and returns false if none is counted.
    /// - Returns: `false` if the thread was idle for the longest time, and is to end.
    func sleep(orElse leave: () -> Bool) -> Bool {
        guard let idleSecondsMax else {
            signals.wait()
            return true
        }
        if signals.wait(seconds: idleSecondsMax) { return true }
        if leave() { return false }
        // All sleeping threads are off the count, so one of the signals is for this thread.
        signals.wait()
        return true
    }
}
