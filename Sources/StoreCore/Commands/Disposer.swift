import StorePlatform
import Synchronization

/// Calls commands when it goes: its owner owns what they end.
///
/// The commands are called in the order in which they were added, on the thread that let go of the
/// disposer.
public final class Disposer: Sendable {
    private let disposals = Locked<[PlainCommand]>([])

    /// Makes a disposer without anything to dispose of.
    public init() {}

    /// Adds a command to call at the end. Any thread may call this.
    public func add(disposal: PlainCommand) {
        disposals.withLock { $0.append(disposal) }
    }

    deinit {
        for disposal in disposals.withLock({ $0 }) {
            disposal.execute()
        }
    }
}
