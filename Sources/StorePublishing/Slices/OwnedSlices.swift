import StoreCore
import StoreJSON

/// The separately encoded slices of all owners, for one module in one version. The owners are
/// sessions or users. Unchanged slices are shared with the version before.
package final class OwnedSlices: SlicesByReader, @unchecked Sendable {
    /// The form in which an owner gets its slice.
    enum Presentation: Sendable {
        /// The slice of the owner replaces the slices of all owners.
        case bareSlice
        /// The slice is the only member of an object, under the session's name.
        case underSessionName
    }

    private final class Entry: Sendable {
        /// The slice of the owner; `nil` if the owner has ended.
        let slice: PublishedSlice?
        /// The version that last changed the slice, or in which the owner ended.
        let version: UInt64

        init(_ slice: PublishedSlice) {
            self.slice = slice
            version = slice.version
        }

        init(endedAt version: UInt64) {
            slice = nil
            self.version = version
        }
    }

    private let entries: SortedTable<Entry>
    /// The slice that every owner begins with.
    let initialSlice: PublishedSlice
    private let presentation: Presentation
    private let joinedBytes = JoinedBytes()

    /// Makes the table of slices, which are sorted by the names of owners.
    init(
        _ slices: [(owner: String, slice: PublishedSlice)],
        initial: PublishedSlice,
        _ form: Presentation
    ) {
        entries = SortedTable(sorted: slices.map { ($0.owner, Entry($0.slice)) })
        self.initialSlice = initial
        self.presentation = form
    }

    private init(_ entries: SortedTable<Entry>, initial: PublishedSlice, _ form: Presentation) {
        self.entries = entries
        self.initialSlice = initial
        self.presentation = form
    }

    /// True if the initial slice, or the slice of an owner, is started. Cost: one step for each
    /// owner.
    override var isStarted: Bool { initialSlice.isStarted || slices.contains(where: \.isStarted) }

    /// The number of slices of owners. If the module starts with the store, slices that no action
    /// has changed do not count. Cost: one step for each owner.
    override var startedCount: Int {
        if presentation == .underSessionName { return 1 }
        return slices.reduce(0) { $0 + $1.startedCount }
    }

    private var slices: some Sequence<PublishedSlice> { entries.lazy.compactMap(\.value.slice) }

    /// The owners that have slices, sorted.
    var owners: [String] { entries.compactMap { $0.value.slice == nil ? nil : $0.key } }

    subscript(owner: String) -> PublishedSlice? { entries[owner]?.slice }

    /// Returns the slice that an owner gets.
    override func visible(to owner: String) -> PublishedSlice {
        let own = self[owner]
        switch presentation {
        case .bareSlice:
            if let own { return own }
            // If the owner has ended, its reader gets the initial slice as a change.
            guard let ended = entries[owner] else { return initialSlice }
            return initialSlice.with(version: max(ended.version, initialSlice.version))
        case .underSessionName:
            guard let own, let bytes = own.bytes else { return initialSlice }
            let piece = SortedTable(sorted: [(key: owner, value: bytes)])
            return PublishedSlice(.pieces(EncodedPieces(piece)), version: own.version)
        }
    }

    /// Returns a copy of the table in which some owners have other slices. If `initial` is not
    /// `nil`, it replaces the initial slice.
    func replacing(
        _ renewed: [(owner: String, slice: PublishedSlice?)],
        initial: PublishedSlice? = nil,
        at version: UInt64
    ) -> OwnedSlices {
        var entries = entries
        for (owner, slice) in renewed {
            // Keep an entry for a user that has ended, because the user's clients continue to read.
            // The clients of an ended session read nothing.
            let ended =
                OwnerName.principal(of: owner) == nil ? nil : Entry(endedAt: version)
            entries[owner] = slice.map { Entry($0) } ?? ended
        }
        return OwnedSlices(entries, initial: initial ?? self.initialSlice, presentation)
    }

    /// Returns the owners whose slices differ from their slices in an earlier version; `nil` if the
    /// slices of all owners may differ. Does not visit the entries that both versions share.
    override func owners(changedSince others: SlicesByReader) -> [String]? {
        guard let others = others as? OwnedSlices,
            initialSlice.version == others.initialSlice.version
        else { return nil }
        return entries.differences(from: others.entries).map(\.key)
    }

    /// True if ``joined`` is cheap to make.
    override var isCheapToFind: Bool { joinedBytes.isCheapToFind(entries.count) }

    override var bytes: Bytes? { joined }

    /// The JSON of all slices, under the names of their owners, as in a stored snapshot.
    private var joined: Bytes {
        joinedBytes.value {
            var json = JSONWriter(capacity: 64 * (entries.count + 1))
            json.object { json in
                for (owner, entry) in entries {
                    guard let slice = entry.slice else { continue }
                    json.key(owner)
                    json.raw(slice.bytes ?? SliceLayout.absentSliceJSON)
                }
            }
            return json.bytes
        }
    }

    /// Returns the location of a part in the JSON of the table.
    override func location(of pointer: JSONPointer) -> PartLocation {
        guard let owner = pointer.tokens.first else { return .resolved(joined) }
        return self[owner]?.location(of: pointer.withoutFirstToken) ?? .resolved(nil)
    }
}
