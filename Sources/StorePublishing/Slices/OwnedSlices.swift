import StoreCore
import StoreJSON

/// The separately encoded slices of all owners, for one module in one version. The owners are
/// sessions or users. Unchanged slices are shared with the version before.
package final class OwnedSlices: Sendable {
    /// The form in which an owner gets its slice.
    enum Form: Sendable {
        /// The slice of the owner replaces the slices of all owners.
        case bareSlice
        /// The slice is the only member of an object, under the session's name.
        case underSessionName
    }

    private final class Entry: Sendable {
        let slice: PublishedSlice

        init(_ slice: PublishedSlice) { self.slice = slice }
    }

    private let entries: SortedTable<Entry>
    /// The slice that every owner begins with.
    let initialSlice: PublishedSlice
    private let form: Form
    private let joinedBytes = JoinedBytes()

    /// Makes the table of slices, which are sorted by the names of owners.
    init(
        _ slices: [(owner: String, slice: PublishedSlice)],
        first: PublishedSlice,
        _ form: Form
    ) {
        entries = SortedTable(sorted: slices.map { ($0.owner, Entry($0.slice)) })
        self.initialSlice = first
        self.form = form
    }

    private init(_ entries: SortedTable<Entry>, first: PublishedSlice, _ form: Form) {
        self.entries = entries
        self.initialSlice = first
        self.form = form
    }

    /// True if an owner has a started slice. Cost: one step for each owner.
    var isStarted: Bool { initialSlice.isStarted || entries.contains { $0.value.slice.isStarted } }

    /// The number of slices of owners. If the module starts with the store, slices that no action
    /// has changed do not count. Cost: one step for each owner.
    var startedCount: Int {
        if form == .underSessionName { return 1 }
        return entries.reduce(0) { $0 + $1.value.slice.startedCount }
    }

    /// The owners, sorted.
    var owners: [String] { entries.map(\.key) }

    subscript(owner: String) -> PublishedSlice? { entries[owner]?.slice }

    /// Returns the slice that an owner gets.
    func visible(to owner: String) -> PublishedSlice {
        let own = self[owner]
        switch form {
        case .bareSlice: return own ?? initialSlice
        case .underSessionName:
            guard let own, let bytes = own.bytes else { return initialSlice }
            let piece = SortedTable(sorted: [(key: owner, value: bytes)])
            return PublishedSlice(.pieces(EncodedPieces(piece)), version: own.version)
        }
    }

    /// Returns the table with other slices for some owners, and another first slice if `first` is
    /// not `nil`.
    func replacing(
        _ renewed: [(owner: String, slice: PublishedSlice?)],
        first: PublishedSlice? = nil
    ) -> OwnedSlices {
        var entries = entries
        for (owner, slice) in renewed { entries[owner] = slice.map { Entry($0) } }
        return OwnedSlices(entries, first: first ?? self.initialSlice, form)
    }

    /// Returns the owners whose slices differ from their slices in an earlier version; `nil` if the
    /// slices of all owners may differ. Does not visit the entries that both versions share.
    func owners(changedSince others: OwnedSlices) -> [String]? {
        guard initialSlice.version == others.initialSlice.version else { return nil }
        return entries.differences(from: others.entries).map(\.key)
    }

    /// True if ``joined`` is cheap to make.
    var isAtHand: Bool { joinedBytes.isAtHand(entries.count) }

    /// All slices as JSON, under the names of their owners, as in a stored snapshot.
    var joined: Bytes {
        joinedBytes.value {
            var json = JSONWriter(capacity: 64 * (entries.count + 1))
            json.object { json in
                for (owner, entry) in entries {
                    json.key(owner)
                    json.raw(entry.slice.bytes ?? SliceLayout.absentSliceJSON)
                }
            }
            return json.bytes
        }
    }

    /// Returns the place of a part in the JSON of the table.
    func location(of pointer: JSONPointer) -> PartLocation {
        guard let owner = pointer.tokens.first else { return .resolved(joined) }
        return self[owner]?.location(of: pointer.withoutFirst) ?? .resolved(nil)
    }
}
