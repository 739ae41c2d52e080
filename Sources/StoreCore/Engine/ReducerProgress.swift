import StorePlatform
import Synchronization

/// The action that the Core is reducing now. The watchdog reads it to find a reducer that takes too
/// long.
///
/// The thread that does the Core's work writes it; any thread may read it.
package final class ReducerProgress: Sendable {
    /// An action that is being reduced.
    package struct Work: Sendable, Equatable {
        /// The wire name of the action.
        package let type: String
        /// The version that the action makes.
        package let version: UInt64
    }

    private let work = Locked<Work?>(nil)

    package init() {}

    /// The action that is being reduced now; `nil` if there is none.
    package var current: Work? { work.withLock { $0 } }

    func begin(_ type: String, _ version: UInt64) {
        work.withLock { $0 = Work(type: type, version: version) }
    }

    func end() {
        work.withLock { $0 = nil }
    }
}
