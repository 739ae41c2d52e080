import StoreActionCatalog
import StoreCore
import StorePatterns

/// Ends idle sessions by a timer, which fires when the first session can be idle.
package enum IdleSessions {
    /// The maximum number of sessions that end in one turn of the event loop. Further sessions end
    /// later.
    static let endedPerTurnMax = 256
    /// The maximum number of seconds between two checks. A longer timer could fire late, because
    /// the loop's clock does not advance while the system sleeps.
    static let checkIntervalSecondsMax = 60.0
    /// The minimum number of seconds between two checks. A session may outlast its idle time by
    /// this number of seconds.
    static let checkIntervalSecondsMin = 0.1

    /// Ends idle sessions now, and schedules the next check.
    package static func watch(_ store: Store, _ table: SessionTable) {
        endIdle(in: store, table)
        let seconds = min(
            max(table.secondsUntilIdle, checkIntervalSecondsMin),
            checkIntervalSecondsMax
        )
        store.schedule(after: seconds) { [weak store] in
            guard let store, !store.isDraining() else { return }
            watch(store, table)
        }
    }

    /// Ends the idle sessions. An idle session has no open stream, so no stream has to end.
    ///
    /// If the end is not applied, for example because the mailbox is full, the session lasts until
    /// the next check.
    package static func endIdle(in store: Store, _ table: SessionTable) {
        for name in table.beginEndingIdle(max: endedPerTurnMax) {
            // The action belongs to the session, as if the client had ended the session. So other
            // clients do not read in the log which session was idle.
            let source = ActionSource(sourceLocation: "StoreServer/idle", session: name)
            do {
                let ended = Sessions.Internal.ended(session: name)
                try store.engine.offer(
                    Envelope(
                        members: [try store.actions.member(of: ended, store.encoder)],
                        source: source,
                        completion: IdleSessionCompletion(of: name, in: table)
                    )
                )
            } catch {
                table.cancelEnding(name)
            }
        }
    }
}

/// Removes a session from the table when the action that ends it is durable. Keeps the session if
/// the action is not applied.
private final class IdleSessionCompletion: Completion {
    private let sessionName: String
    private let table: SessionTable

    init(of name: String, in table: SessionTable) {
        self.sessionName = name
        self.table = table
    }

    func complete(_ outcome: Outcome) {
        if case .applied = outcome {
            table.remove(sessionName)
        } else {
            table.cancelEnding(sessionName)
        }
    }
}
