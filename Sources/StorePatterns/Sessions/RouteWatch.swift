package import StoreCore
import StorePlatform
import Synchronization

/// The changes of routes that wait for the confirmation of clients.
public final class RouteWatch: Sendable {
    /// The time within which a client must confirm a route, in seconds.
    public static let secondsMax = 3

    private struct Change: Sendable {
        let version: UInt64
        let session: String
        let completion: RouteCompletion
    }

    private struct Table: Sendable {
        var changesByID: [Int: Change] = [:]
        var lastID = 0
    }

    private let sleep: @Sendable (Duration) async throws -> Void
    private let table = Locked(Table())

    /// - Parameter sleep: waits for a duration.
    package init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    /// Calls `completion` when the client of a session shows the route of this version or of a
    /// later version. After ``secondsMax`` seconds without a confirmation, calls `completion` with
    /// `unconfirmed`.
    func watch(
        for session: String,
        toShow version: UInt64,
        _ completion: @escaping RouteCompletion
    ) {
        let change = Change(version: version, session: session, completion: completion)
        let id = table.withLock { table -> Int in
            table.lastID += 1
            table.changesByID[table.lastID] = change
            return table.lastID
        }
        Task {
            try? await sleep(.seconds(Self.secondsMax))
            table.withLock { $0.changesByID.removeValue(forKey: id) }?.completion(.unconfirmed)
        }
    }

    /// Records that the client of a session shows the route of this version. Any thread may call
    /// this function.
    package func noteShown(_ version: UInt64, by session: String) {
        let shown = table.withLock { table -> [RouteCompletion] in
            var shown: [RouteCompletion] = []
            for (id, change) in table.changesByID
            where change.version <= version && change.session == session {
                table.changesByID[id] = nil
                shown.append(change.completion)
            }
            return shown
        }
        for completion in shown { completion(.shown) }
    }
}

extension Engine {
    /// The changes of routes that wait for clients; `nil` if the state does not have ``Sessions``.
    package var routeWatch: RouteWatch? { (presentation as? any RoutePresentation)?.routeWatch }
}

/// A function that receives the outcome of a change of routes.
public typealias RouteCompletion = @Sendable (RouteOutcome) -> Void

/// The outcome of a change of routes.
public enum RouteOutcome: Sendable, Equatable {
    /// The client has confirmed that it shows the route.
    case shown
    /// The client has not confirmed the route within ``RouteWatch/secondsMax`` seconds.
    case unconfirmed
    /// The change was not applied: the store has ended, or its journal failed.
    case dropped
}
