package import StoreCore
import StorePlatform
import Synchronization

/// Reads single actions of the journal again, with the session that they came from.
///
/// A start uses it for the effects that had not ended when the store stopped: each was begun by an
/// action, and runs again with that action and on behalf of its session. The start then drops this
/// object, and with it what it has looked up.
package final class PastActions: Sendable {
    private let journal: any Journal
    private let forms: RecordForms
    /// The session of each version that was looked up so far, because several effects often go back
    /// to one action.
    private let sessions = Locked<[UInt64: String?]>([:])

    package init(_ journal: any Journal, _ forms: RecordForms) {
        self.journal = journal
        self.forms = forms
    }

    /// The action of a version; `nil` where its record is removed or the journal can't be read. The
    /// result has no action where the record can't be read as one, or a migration drops it.
    package func action(of version: UInt64) -> PastAction? {
        guard let record = record(version) else { return nil }
        var reader = RecordReader(forms)
        return PastAction(
            try? reader.action(of: record),
            from: session(of: record),
            by: record.principal,
            within: TraceContext.parent(of: record.meta)
        )
    }

    /// The session on whose behalf an action was dispatched; `nil` where that is not known.
    ///
    /// A record has it. One of an older format names it in the text of its origin; there, one of
    /// the program itself names its cause instead, the version of the action that led to it: so
    /// causes are followed back until a record names a session.
    private func session(of record: Record) -> String? {
        if let session = record.session { return session }
        var record = record
        // The versions that were passed on the way: all have the same session.
        var path: [UInt64] = []
        var found: String??
        while found == nil {
            path.append(record.version)
            if let known = sessions.withLock({ $0[record.version] }) {
                found = .some(known)
            } else if let session = record.session
                ?? record.origin.flatMap(ClientOrigin.session(in:))
            {
                found = .some(session)
            } else if let cause = record.cause, cause < record.version,
                let next = self.record(cause)
            {
                // Each record on the way is older than the one before, so the way has an end.
                record = next
            } else {
                found = .some(nil)
            }
        }
        let name = found ?? nil
        sessions.withLock { sessions in
            for version in path { sessions[version] = .some(name) }
        }
        return name
    }

    private func record(_ version: UInt64) -> Record? {
        guard version > 0 else { return nil }
        let page = JournalPage(after: version - 1, limit: 1, bytesMax: .max)
        return try? journal.read(page).records.first { $0.version == version }
    }
}
