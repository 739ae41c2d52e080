package import StoreCore
import StorePlatform
import Synchronization

/// A reader of single actions in the journal, with the session of each action.
///
/// A start uses the reader for the effects that had not ended when the store stopped. Each effect
/// runs again with the action that began the effect, on behalf of that action's session.
package final class PastActionReader: Sendable {
    private let journal: any Journal
    private let forms: RecordForms
    /// The session of the action that made each version, as a cache: several effects often follow
    /// the same action.
    private let sessionsByVersion = Locked<[UInt64: String?]>([:])

    package init(_ journal: any Journal, _ forms: RecordForms) {
        self.journal = journal
        self.forms = forms
    }

    /// Returns the action of a version; `nil` if the action's record is gone or the journal can't
    /// be read. The result has no action if the record is unreadable, or if a migration drops the
    /// record.
    package func action(of version: UInt64) -> PastAction? {
        guard let record = record(version) else { return nil }
        let reader = RecordReader(forms)
        return PastAction(
            record.isForgotten ? nil : try? reader.action(of: record),
            from: session(of: record),
            by: record.principal,
            within: TraceContext.traceparent(in: record.meta)
        )
    }

    /// Returns the session on whose behalf an action was dispatched; `nil` if the session is not
    /// known.
    ///
    /// A record of the newest form names its session. In a record of an older form, the text of the
    /// origin names the session. If the program dispatched the action, the older record has only
    /// its cause: the version that led to the action. So the search follows the causes until a
    /// record names a session.
    private func session(of record: Record) -> String? {
        if let session = record.session { return session }
        // The versions that the search has visited. All of them have the same session.
        var path: [UInt64] = []
        var name: String?
        var next: Record? = record
        // A cause is always older than its consequence, so the search ends.
        while let record = next {
            path.append(record.version)
            if let known = sessionsByVersion.withLock({ $0[record.version] }) {
                name = known
                break
            }
            name = record.session ?? record.origin.flatMap(ClientOrigin.session(in:))
            if name != nil { break }
            next = record.cause.flatMap { $0 < record.version ? self.record($0) : nil }
        }
        sessionsByVersion.withLock { sessions in
            for version in path { sessions[version] = .some(name) }
        }
        return name
    }

    private func record(_ version: UInt64) -> Record? {
        guard version > 0 else { return nil }
        let page = JournalPageRequest(after: version - 1, limit: 1, bytesMax: .max)
        return try? journal.read(page).records.first { $0.version == version }
    }
}
