import StorePlatform
import Synchronization

/// The newest published version: swapped by the Core's thread, read by any.
///
/// It is no generic type, so that readers look up none.
package final class NewestSnapshot: Sendable {
    private let newest: Locked<Snapshot>

    package init(_ first: Snapshot) {
        newest = Locked(first)
    }

    package var value: Snapshot { newest.withLock { $0 } }

    /// Publishes a version: from now on readers see it.
    func swap(for newer: Snapshot) {
        newest.withLock { $0 = newer }
    }
}
