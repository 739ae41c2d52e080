import StorePlatform
import Synchronization

/// Gives memory that was freed back to the system, every so often, where the process has grown:
/// what a crowd has used does not stay when it has left, and pieces that are left between others do
/// not add up.
///
/// The allocator holds up the other threads meanwhile, for a millisecond or so. Where there is much
/// to go through it takes longer, and is done the more rarely.
final class FreedMemory: Sendable {
    /// How long it is left alone, at the least.
    static let intervalSeconds = 30.0
    /// It takes this part of the time, at the most.
    static let timePart = 0.0005
    /// How much more than the last time has to be resident.
    static let growthBytes = 1 << 20

    private struct Condition: Sendable {
        /// When it is done next, at the earliest.
        var due: Double
        /// What was resident when it was done last.
        var resident: Int
    }

    private let residentBytes: @Sendable () -> Int?
    private let giveBack: @Sendable () -> Void
    private let now: @Sendable () -> Double
    private let condition: Locked<Condition>

    /// - Parameters:
    ///   - residentBytes: how much memory the process has; `nil` where that can't be read.
    ///   - giveBack: what gives back what was freed.
    ///   - now: seconds of a clock that is never set.
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

    /// Looks whether it is time. One thread calls it, every so often.
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
