import StorePlatform
import Synchronization

/// The action that the Core is reducing now. The watchdog reads it to find a reducer that takes too
/// long.
///
/// The Core's thread writes, any thread reads.
package final class ReducerProgress: Sendable {
    /// An action that is being reduced.
    package struct Work: Sendable, Equatable {
        /// Its wire name.
        package let type: String
        /// The version that it makes.
        package let version: UInt64
    }

    private let work = Locked<Work?>(nil)

    package init() {}

    /// What is being reduced at this moment.
    package var current: Work? { work.withLock { $0 } }

    func begin(_ type: String, _ version: UInt64) {
        work.withLock { $0 = Work(type: type, version: version) }
    }

    func end() {
        work.withLock { $0 = nil }
    }
}
