import StoreHTTPTransport
import StorePlatform
import Synchronization

/// Gives memory back to the system as soon as much memory of bodies and answers was freed. After a
/// flood of requests, the memory would else stay until ``FreedMemory`` runs, up to half a minute
/// later.
final class FreedBuffers: Sendable {
    /// The minimum number of freed bytes.
    static let bytesMin: UInt64 = 16 << 20

    private let bytes: @Sendable () -> UInt64
    private let giveBack: @Sendable () -> Void
    /// The maximum size of bodies and answers since memory was last given back.
    private let most = Locked<UInt64>(0)

    /// Makes the value that watches the size.
    ///
    /// - Parameters:
    ///   - bytes: returns the current size of bodies and answers.
    ///   - giveBack: gives freed memory back to the system.
    init(
        _ bytes: @escaping @Sendable () -> UInt64,
        giveBack: @escaping @Sendable () -> Void = { AllocatorMemory.giveBack() }
    ) {
        self.bytes = bytes
        self.giveBack = giveBack
    }

    /// Gives memory back if enough was freed. A single thread calls this at short intervals.
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
