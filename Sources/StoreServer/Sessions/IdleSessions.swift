import HTTPTransport
import StoreCore

/// Ends the sessions whose time is over, without anybody's asking: on the event loop's thread, when the
/// first of them can be idle.
enum IdleSessions {
    /// The most sessions that end in one turn of the loop; the others follow.
    static let endedMax = 256
    /// The longest time until the next look: the loop's clock stands still while the system sleeps.
    static let lookSecondsMax = 60.0
    /// The shortest; also what a session may last longer than it should.
    static let lookSecondsMin = 0.1

    /// Looks now, and again whenever it may be time.
    static func watch<State>(_ store: Store<State>, _ table: SessionTable) {
        end(in: store, table)
        let seconds = min(max(table.secondsUntilIdle, lookSecondsMin), lookSecondsMax)
        store.schedule(after: seconds) { [weak store] in
            guard let store, !store.isDraining() else { return }
            watch(store, table)
        }
    }

    /// Ends those whose time is over. They have no stream that would have to end with them.
    static func end<State>(in store: Store<State>, _ table: SessionTable) {
        for name in table.endIdle(max: endedMax) {
            store.core.dispatchOwn(Sessions.Internal.ended(session: name), at: "StoreServer/idle")
        }
    }
}
