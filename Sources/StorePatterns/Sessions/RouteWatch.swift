package import StoreCore
import StorePlatform
import Synchronization

/// Waits until clients confirm that they show what was presented to them.
public final class RouteWatch: Sendable {
    /// How long a client may take, in seconds.
    public static let secondsMax = 3

    private struct Change: Sendable {
        let version: UInt64
        let session: String
        let completion: RouteCompletion
    }

    private struct Table: Sendable {
        var changes: [Int: Change] = [:]
        var count = 0
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private let table = Locked(Table())

    /// - Parameter sleep: passes the time.
    package init(sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.sleep = sleep
    }

    /// Waits until the client of this session shows what this version has.
    func wait(
        for session: String,
        toShow version: UInt64,
        _ completion: @escaping RouteCompletion
    ) {
        let change = Change(version: version, session: session, completion: completion)
        let id = table.withLock { table -> Int in
            table.count += 1
            table.changes[table.count] = change
            return table.count
        }
        Task {
            try? await sleep(.seconds(Self.secondsMax))
            table.withLock { $0.changes.removeValue(forKey: id) }?.completion(.unconfirmed)
        }
    }

    /// A session's client shows the route as this version has it. Any thread.
    package func isShown(_ version: UInt64, by session: String) {
        let shown = table.withLock { table -> [RouteCompletion] in
            var shown: [RouteCompletion] = []
            for (id, change) in table.changes
            where change.version <= version && change.session == session {
                table.changes[id] = nil
                shown.append(change.completion)
            }
            return shown
        }
        for completion in shown { completion(.shown) }
    }
}

extension CoreHandle {
    /// Waits for clients to show what presenters have presented, where the state has ``Sessions``.
    package var routes: RouteWatch? { (presentation as? any RoutePresentation)?.routes }
}
