import StorePlatform
import Synchronization

/// The newest published version: the Core's thread swaps it, and any thread reads it.
///
/// The class is not generic, so that readers need no look-up of generic metadata.
package final class NewestSnapshot: Sendable {
    private let newest: Locked<Snapshot>

    package init(_ first: Snapshot) {
        newest = Locked(first)
    }

    package var value: Snapshot { newest.withLock { $0 } }

    /// Publishes a version: readers see it from now on.
    func swap(for newer: Snapshot) {
        newest.withLock { $0 = newer }
    }
}
