import StoreActionCatalog
package import StoreCore
import StoreHTTPTransport
import StorePatterns
import StorePlatform
import Synchronization

/// The sessions of the store at `/`, in a named store whose clients use the same cookie.
///
/// The table of sessions belongs to the store at `/`. A session begins in the named store with its
/// first request to that store: `sessions/began` is in the mailbox before the action of this
/// request. The session ends in the named store when its end in the store at `/` is durable.
package final class JoinedSessions: Sendable {
    /// The origin that the log shows for the beginning and the end of a session.
    private static let origin = "StoreServer/sessions"
    /// The seconds after which the end of a session is dispatched again, if the mailbox was full.
    private static let retrySeconds = 1.0

    private let table: SessionTable
    private let startActions: [any Action]
    /// The sessions that have begun in this store.
    private let begunSessionNames = Locked<Set<String>>([])

    /// Makes the sessions. `startActions` are applied together with the beginning of each session.
    package init(_ table: SessionTable, startActions: [any Action]) {
        self.table = table
        self.startActions = startActions
    }

    /// Begins an open session of the table in this store, unless the session has begun in this
    /// store already. Returns false if the session has ended meanwhile.
    ///
    /// - Throws: ``MailboxError`` if the mailbox has no room for the beginning.
    func begin(_ name: String, in store: Store) throws(MailboxError) -> Bool {
        let isNew = try begunSessionNames.withLock { begun throws(MailboxError) in
            guard begun.insert(name).inserted else { return false }
            do throws(MailboxError) {
                // Offer the actions under the lock, so that no other action of the session is
                // earlier in the mailbox.
                try offer([Sessions.Internal.began(session: name)] + startActions, name, in: store)
            } catch {
                begun.remove(name)
                throw error
            }
            return true
        }
        // The session may have ended between the check of the table and the insertion.
        guard isNew, !table.isOpen(name) else { return true }
        _ = end(name, in: store)
        return false
    }

    /// Ends a session, with its streams and waiting requests. Returns false if the session has not
    /// begun in this store.
    func end(_ name: String, in store: Store) -> Bool {
        let hasBegun = begunSessionNames.withLock { $0.remove(name) != nil }
        guard hasBegun else { return false }
        offerEnd(of: name, in: store)
        store.streamWriter.endStreams(of: name)
        store.reader.endWaits(of: name)
        return true
    }

    private func offerEnd(of name: String, in store: Store) {
        do {
            try offer([Sessions.Internal.ended(session: name)], name, in: store)
        } catch MailboxError.full {
            store.schedule(after: Self.retrySeconds) { [weak self, weak store] in
                if let store { self?.offerEnd(of: name, in: store) }
            }
        } catch {
            // The Core has stopped.
        }
    }

    private func offer(
        _ actions: [any Action],
        _ session: String,
        in store: Store
    ) throws(MailboxError) {
        let members: [EnvelopeMember]
        do {
            members = try actions.map { try store.actions.member(of: $0, store.encoder) }
        } catch {
            // The program's start actions can't be encoded, so no session begins.
            return store.logger.note(
                Refusal(error),
                of: "\(Sessions.name)/began",
                in: Self.origin
            )
        }
        let source = ActionSource(sourceLocation: Self.origin, session: session)
        let completion = JoinCompletion(of: session, in: self)
        try store.engine.offer(
            Envelope(members: members, source: source, completion: completion)
        )
    }

    /// Removes a session whose beginning was not applied, so that its next request begins the
    /// session again.
    fileprivate func forget(_ name: String) { begunSessionNames.withLock { _ = $0.remove(name) } }
}

/// Forgets a session whose beginning was not applied.
private final class JoinCompletion: Completion {
    private let sessionName: String
    private let sessions: JoinedSessions

    init(of name: String, in sessions: JoinedSessions) {
        self.sessionName = name
        self.sessions = sessions
    }

    func complete(_ outcome: Outcome) {
        if case .applied = outcome { return }
        sessions.forget(sessionName)
    }
}
