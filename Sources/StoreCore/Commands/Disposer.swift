import StorePlatform
import Synchronization

/// An object that runs its commands when it is deallocated. The owner of a disposer thereby owns
/// the subscriptions that the commands end.
///
/// The commands run in the order in which they were added, on the thread that released the
/// disposer.
public final class Disposer: Sendable {
    private let disposals = Locked<[PlainCommand]>([])

    /// Makes a disposer without commands.
    public init() {}

    /// Adds a command that runs at the end. Any thread may call this.
    public func add(disposal: PlainCommand) {
        disposals.withLock { $0.append(disposal) }
    }

    deinit {
        for disposal in disposals.withLock({ $0 }) {
            disposal.execute()
        }
    }
}
