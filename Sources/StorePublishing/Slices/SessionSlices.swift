import StoreCore
import StoreJSON

/// The separately encoded slices of all sessions, for one module in one version. Unchanged slices
/// are shared with the version before.
package final class SessionSlices: Sendable {
    /// The form in which a session gets its slice.
    enum Form: Sendable {
        /// The slice of the session replaces the slices of all sessions.
        case bareSlice
        /// The slice is the only member of an object, under the session's name.
        case underSessionName
    }

    private final class Entry: Sendable {
        let slice: PublishedSlice

        init(_ slice: PublishedSlice) { self.slice = slice }
    }

    private let entries: SortedTable<Entry>
    /// The slice that every session begins with.
    let initialSlice: PublishedSlice
    private let form: Form
    private let joinedBytes = JoinedBytes()

    /// Makes the table of slices, which are sorted by the names of sessions.
    init(
        _ slices: [(session: String, slice: PublishedSlice)],
        first: PublishedSlice,
        _ form: Form
    ) {
        entries = SortedTable(sorted: slices.map { ($0.session, Entry($0.slice)) })
        self.initialSlice = first
        self.form = form
    }

    private init(_ entries: SortedTable<Entry>, first: PublishedSlice, _ form: Form) {
        self.entries = entries
        self.initialSlice = first
        self.form = form
    }

    /// True if a session has a started slice. Cost: one step for each session.
    var isStarted: Bool { initialSlice.isStarted || entries.contains { $0.value.slice.isStarted } }

    /// The number of slices of sessions. If the module starts with the store, slices that no action
    /// has changed do not count. Cost: one step for each session.
    var startedCount: Int {
        if form == .underSessionName { return 1 }
        return entries.reduce(0) { $0 + $1.value.slice.startedCount }
    }

    subscript(session: String) -> PublishedSlice? { entries[session]?.slice }

    /// Returns the slice that a session gets.
    func visible(to session: String) -> PublishedSlice {
        let own = self[session]
        switch form {
        case .bareSlice: return own ?? initialSlice
        case .underSessionName:
            guard let own, let bytes = own.bytes else { return initialSlice }
            let piece = SortedTable(sorted: [(key: session, value: bytes)])
            return PublishedSlice(.pieces(EncodedPieces(piece)), version: own.version)
        }
    }

    /// Returns the table with other slices for some sessions, and another first slice if `first` is
    /// not `nil`.
    func replacing(
        _ renewed: [(session: String, slice: PublishedSlice?)],
        first: PublishedSlice? = nil
    ) -> SessionSlices {
        var entries = entries
        for (session, slice) in renewed { entries[session] = slice.map { Entry($0) } }
        return SessionSlices(entries, first: first ?? self.initialSlice, form)
    }

    /// Returns the sessions whose slices differ from their slices in an earlier version; `nil` if
    /// the slices of all sessions may differ. Does not visit the entries that both versions share.
    func sessions(changedSince others: SessionSlices) -> [String]? {
        guard initialSlice.version == others.initialSlice.version else { return nil }
        return entries.differences(from: others.entries).map(\.key)
    }

    /// True if ``joined`` is cheap to make.
    var isAtHand: Bool { joinedBytes.isAtHand(entries.count) }

    /// All slices as JSON, under the names of their sessions, as in a stored snapshot.
    var joined: Bytes {
        joinedBytes.value {
            var json = JSONWriter(capacity: 64 * (entries.count + 1))
            json.object { json in
                for (session, entry) in entries {
                    json.key(session)
                    json.raw(entry.slice.bytes ?? SliceLayout.absentSliceJSON)
                }
            }
            return json.bytes
        }
    }

    /// Returns the place of a part in the JSON of the table.
    func location(of pointer: JSONPointer) -> PartLocation {
        guard let session = pointer.tokens.first else { return .resolved(joined) }
        return self[session]?.location(of: pointer.withoutFirst) ?? .resolved(nil)
    }
}
