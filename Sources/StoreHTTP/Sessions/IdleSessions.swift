import StoreActionCatalog
import StoreCore
import StoreHTTPTransport
import StorePatterns

/// Ends the sessions whose time is over, without being asked: on the event loop's thread, when the
/// first of them can be idle.
package enum IdleSessions {
    /// The most sessions that end in one turn of the loop; the others follow.
    static let endedMax = 256
    /// The longest time until the next look: the loop's clock stands still while the system sleeps.
    static let lookSecondsMax = 60.0
    /// The shortest; also what a session may last longer than it should.
    static let lookSecondsMin = 0.1

    /// Looks now, and again whenever it may be time.
    package static func watch(_ store: Store, _ table: SessionTable) {
        end(in: store, table)
        let seconds = min(max(table.secondsUntilIdle, lookSecondsMin), lookSecondsMax)
        store.schedule(after: seconds) { [weak store] in
            guard let store, !store.isDraining() else { return }
            watch(store, table)
        }
    }

    /// Ends those whose time is over. They have no stream that would have to end with them.
    ///
    /// One whose end is not applied, because no room is left for it, goes on until the next look.
    package static func end(in store: Store, _ table: SessionTable) {
        for name in table.beginEndingIdle(max: endedMax) {
            // As where a client ends it: others don't read who was idle.
            var source = ActionSource(cause: nil, place: "StoreServer/idle")
            source.session = name
            do {
                let ended = Sessions.Internal.ended(session: name)
                try store.core.offer(
                    Envelope(
                        members: [try store.actions.member(of: ended, store.encoder)],
                        source: source,
                        completion: IdleEnd(of: name, in: table)
                    )
                )
            } catch {
                table.keep(name)
            }
        }
    }
}

/// Removes a session from the table when its end is durable.
private final class IdleEnd: Completion {
    private let name: String
    private let table: SessionTable

    init(of name: String, in table: SessionTable) {
        self.name = name
        self.table = table
    }

    func complete(_ outcome: Outcome) {
        if case .applied = outcome { table.end(name) } else { table.keep(name) }
    }
}
