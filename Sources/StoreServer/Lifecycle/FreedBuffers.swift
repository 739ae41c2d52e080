import StoreHTTPTransport
import StorePlatform
import Synchronization

/// Gives memory back to the system as soon as much of that for bodies and answers was freed: what a
/// flood has taken does not stay for half a minute (``FreedMemory``).
final class FreedBuffers: Sendable {
    /// How much has to be freed, at the least.
    static let bytesMin: UInt64 = 16 << 20

    private let bytes: @Sendable () -> UInt64
    private let giveBack: @Sendable () -> Void
    /// The most that was taken since memory was given back.
    private let most = Locked<UInt64>(0)

    /// - Parameters:
    ///   - bytes: what bodies and answers take.
    ///   - giveBack: what gives back what was freed.
    init(
        _ bytes: @escaping @Sendable () -> UInt64,
        giveBack: @escaping @Sendable () -> Void = { AllocatorMemory.giveBack() }
    ) {
        self.bytes = bytes
        self.giveBack = giveBack
    }

    /// Looks whether it is time. One thread calls it, every so often.
    func look() {
        let bytes = bytes()
        let isFreed = most.withLock { most -> Bool in
            most = max(most, bytes)
            guard most - bytes >= Self.bytesMin, bytes < most / 2 else { return false }
            most = bytes
            return true
        }
        if isFreed { giveBack() }
    }
}
