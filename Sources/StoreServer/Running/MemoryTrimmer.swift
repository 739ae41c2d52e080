import StorePlatform
import Synchronization

/// Gives freed memory back to the system at intervals, if the process has grown. The process then
/// does not hold the memory of clients that have left, and free fragments do not accumulate.
///
/// The allocator blocks other threads meanwhile, for about a millisecond. With a large heap, the
/// other threads are blocked longer, and the next interval is longer, too.
final class MemoryTrimmer: Sendable {
    static let intervalSeconds = 30.0
    /// The maximum share of all time that calls of `giveBack` may take.
    static let timeShareMax = 0.0005
    /// The minimum growth of resident memory between two calls of `giveBack`.
    static let growthBytesMin = 1 << 20

    private struct Schedule: Sendable {
        /// The earliest time of the next call of `giveBack`.
        var dueTime: Double
        /// The resident memory after the last call of `giveBack`.
        var residentBytesAfterTrim: Int
    }

    private let residentBytes: @Sendable () -> Int?
    private let giveBack: @Sendable () -> Void
    private let now: @Sendable () -> Double
    private let schedule: Locked<Schedule>

    /// Begins the first interval. `now` returns the time in seconds of a clock that is never set.
    init(
        residentBytes: @escaping @Sendable () -> Int? = { MemoryUse.residentBytes },
        giveBack: @escaping @Sendable () -> Void = { AllocatorMemory.returnFreeMemory() },
        now: @escaping @Sendable () -> Double = { Double(SystemTime.steadyNanoseconds()) / 1e9 }
    ) {
        self.residentBytes = residentBytes
        self.giveBack = giveBack
        self.now = now
        let first = Schedule(
            dueTime: now() + Self.intervalSeconds,
            residentBytesAfterTrim: residentBytes() ?? 0
        )
        schedule = Locked(first)
    }

    /// Gives memory back if the interval is over and the process has grown. A single thread calls
    /// this function at short intervals.
    func giveBackIfDue() {
        let began = now()
        var condition = schedule.withLock { $0 }
        guard began >= condition.dueTime else { return }
        condition.dueTime = began + Self.intervalSeconds
        if let resident = residentBytes(),
            resident >= condition.residentBytesAfterTrim + Self.growthBytesMin
        {
            giveBack()
            let ended = now()
            condition.dueTime =
                ended + max(Self.intervalSeconds, (ended - began) / Self.timeShareMax)
            condition.residentBytesAfterTrim = residentBytes() ?? resident
        }
        self.schedule.withLock { $0 = condition }
    }
}

/// Gives memory back to the system when many bytes of bodies and answers have been freed.
/// Otherwise, after a flood of requests, the process would hold this memory for up to half a
/// minute, until ``MemoryTrimmer`` acts.
final class BufferTrimmer: Sendable {
    /// The minimum number of freed bytes before memory is given back.
    static let freedBytesMin: UInt64 = 16 << 20

    private let usedBytes: @Sendable () -> UInt64
    private let giveBack: @Sendable () -> Void
    /// The maximum size of bodies and answers since memory was last given back.
    private let peakBytes = Locked<UInt64>(0)

    /// Makes the trimmer. `bytes` returns the current size of all bodies and answers.
    init(
        _ bytes: @escaping @Sendable () -> UInt64,
        giveBack: @escaping @Sendable () -> Void = { AllocatorMemory.returnFreeMemory() }
    ) {
        self.usedBytes = bytes
        self.giveBack = giveBack
    }

    /// Gives memory back if enough memory was freed. A single thread calls this function at short
    /// intervals.
    func giveBackIfFreed() {
        let bytes = usedBytes()
        let isFreed = peakBytes.withLock { most -> Bool in
            most = max(most, bytes)
            guard most - bytes >= Self.freedBytesMin, bytes < most / 2 else { return false }
            most = bytes
            return true
        }
        if isFreed { giveBack() }
    }
}
