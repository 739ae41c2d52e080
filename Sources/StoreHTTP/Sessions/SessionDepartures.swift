package import StoreCore
import StorePlatform
import Synchronization

/// The numbers of streams that each session has open in a store. When the last stream of a session
/// ends, and when the session ends, each ``DepartureModule`` gets its departure action.
package final class SessionDepartures: Sendable {
    /// The origin that the log shows for a module's departure action.
    package static let origin = "StoreServer/departures"

    /// The departure action of each module.
    private let actions: [any Action]
    private let dispatch: ViewPresence.Dispatch
    private let streamCounts = Locked<[String: Int]>([:])

    /// Makes the counts of a store without open streams. `actions` are dispatched when the last
    /// stream of a session ends. `dispatch` is called under a lock, and may do no more than put the
    /// action into the mailbox.
    package init(_ actions: [any Action], dispatch: @escaping ViewPresence.Dispatch) {
        self.actions = actions
        self.dispatch = dispatch
    }

    /// Counts a stream of a session.
    func beginStream(of session: String) {
        streamCounts.withLock { $0[session, default: 0] += 1 }
    }

    /// Counts the end of a stream. Dispatches the actions if this was the last stream.
    func endStream(of session: String) {
        streamCounts.withLock { counts in
            let count = (counts[session] ?? 0) - 1
            counts[session] = count > 0 ? count : nil
            // Dispatch under the lock, in the order of the changes. Otherwise, the departure could
            // follow actions of a client that has opened a new stream since.
            if count <= 0 { dispatchAll(for: session) }
        }
    }

    /// Dispatches the actions for a session that has ended, even if the session has no stream.
    func noteSessionEnded(_ session: String) {
        streamCounts.withLock { _ in dispatchAll(for: session) }
    }

    private func dispatchAll(for session: String) {
        // If the mailbox is full, the Core logs the lost action.
        for action in actions { try? dispatch(action, session, Self.origin) }
    }
}
