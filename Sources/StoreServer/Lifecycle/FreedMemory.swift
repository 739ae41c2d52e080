import StorePlatform
import Synchronization

/// Gives freed memory back to the system at intervals, if the process has grown. Memory of clients
/// that have left does not stay, and fragments between other allocations do not accumulate.
///
/// The allocator blocks the other threads meanwhile, for about a millisecond. A large heap takes
/// longer; the next interval is then longer, too.
final class FreedMemory: Sendable {
    /// The minimum interval.
    static let intervalSeconds = 30.0
    /// The maximum part of the time that the work may take.
    static let timePart = 0.0005
    /// The growth of resident memory since the last time that makes the work worthwhile.
    static let growthBytes = 1 << 20

    private struct Condition: Sendable {
        /// The earliest time of the next call of `giveBack`.
        var due: Double
        /// The resident memory after the last call of `giveBack`.
        var resident: Int
    }

    private let residentBytes: @Sendable () -> Int?
    private let giveBack: @Sendable () -> Void
    private let now: @Sendable () -> Double
    private let condition: Locked<Condition>

    /// Makes the value; the first interval begins now.
    ///
    /// - Parameters:
    ///   - residentBytes: returns the resident memory of the process; `nil` if it can't be read.
    ///   - giveBack: gives freed memory back to the system.
    ///   - now: returns the seconds of a clock that is never set.
    init(
        residentBytes: @escaping @Sendable () -> Int? = { MemoryUse.residentBytes },
        giveBack: @escaping @Sendable () -> Void = { AllocatorMemory.giveBack() },
        now: @escaping @Sendable () -> Double = { Double(SystemTime.steadyNanoseconds()) / 1e9 }
    ) {
        self.residentBytes = residentBytes
        self.giveBack = giveBack
        self.now = now
        let first = Condition(due: now() + Self.intervalSeconds, resident: residentBytes() ?? 0)
        condition = Locked(first)
    }

    /// Gives memory back if the interval is over and the process has grown. A single thread calls
    /// this at short intervals.
    func look() {
        let began = now()
        var condition = condition.withLock { $0 }
        guard began >= condition.due else { return }
        condition.due = began + Self.intervalSeconds
        if let resident = residentBytes(), resident >= condition.resident + Self.growthBytes {
            giveBack()
            let ended = now()
            condition.due = ended + max(Self.intervalSeconds, (ended - began) / Self.timePart)
            condition.resident = residentBytes() ?? resident
        }
        self.condition.withLock { $0 = condition }
    }
}
