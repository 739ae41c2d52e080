import Glibc

/// A semaphore with timed waits by a clock that is never set.
///
/// On Linux, waits of `DispatchSemaphore` use the time of day. If that clock is set back by a day,
/// a wait of a tenth of a second lasts a day.
public final class TimedSemaphore: @unchecked Sendable {
    // Safety: only the thread that holds `lock` uses `count`; the memory at the pointers is freed
    // by `deinit`.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var count = 0

    /// Makes a semaphore without a signal.
    public init() {
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Ends one wait: a current wait, or else the next wait. Any thread may call this function.
    public func signal() {
        pthread_mutex_lock(lock)
        count += 1
        pthread_mutex_unlock(lock)
        // The signal comes after the unlock. Otherwise the woken thread would have to wait for the
        // lock.
        pthread_cond_signal(condition)
    }

    /// Waits for a signal, and takes it.
    public func wait() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while count == 0 { pthread_cond_wait(condition, lock) }
        count -= 1
    }

    /// Waits for a signal, and takes it. Returns false if no signal came within the time.
    public func wait(seconds: Double) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = Int(max(0, min(seconds, Self.secondsMax)) * 1e9) + end.tv_nsec
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while count == 0 {
            guard pthread_cond_timedwait(condition, lock, &end) != ETIMEDOUT else { break }
        }
        guard count > 0 else { return false }
        count -= 1
        return true
    }

    /// The longest timed wait, a year. The bound keeps the arithmetic from overflow.
    private static let secondsMax = 31_536_000.0
}

/// An event that happens once. Any number of threads may wait for it.
package final class Latch: Sendable {
    private let openSignal = TimedSemaphore()

    package init() {}

    /// Ends all waits, including future waits. Any thread may call this function, once or several
    /// times.
    package func open() { openSignal.signal() }

    /// Waits until the latch is open. Returns false if the seconds are over first.
    package func wait(seconds: Double = .infinity) -> Bool {
        guard openSignal.wait(seconds: seconds) else { return false }
        // Passes the signal on to the next waiting thread.
        openSignal.signal()
        return true
    }
}

/// Threads that sleep until there is work for them, or until they have been idle for too long.
///
/// The owner counts the sleeping threads that have not been woken, under its own lock. To wake a
/// thread, the owner lowers the count under the lock, releases the lock, and calls ``wake(_:)``.
@usableFromInline
struct Sleepers: Sendable {
    private let signals = TimedSemaphore()
    /// The longest sleep of a thread; `nil` sets no bound.
    let idleSecondsMax: Double?

    /// Wakes `count` threads, which the owner has taken off its count of sleeping threads.
    @usableFromInline
    func wake(_ count: Int = 1) {
        for _ in 0..<count { signals.signal() }
    }

    /// Sleeps until a call of ``wake(_:)``. The caller has counted the thread as sleeping.
    ///
    /// - Parameter leave: takes a thread off the owner's count; returns false if the count is 0.
    /// - Returns: `false` if the thread has been idle for ``idleSecondsMax``, and has to end.
    func sleep(whenIdle leave: () -> Bool) -> Bool {
        guard let idleSecondsMax else {
            signals.wait()
            return true
        }
        if signals.wait(seconds: idleSecondsMax) { return true }
        if leave() { return false }
        // The owner has taken this thread off the count to wake it, so the signal has come or will
        // come.
        signals.wait()
        return true
    }
}
