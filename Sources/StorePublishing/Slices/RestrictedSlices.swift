import StoreCore
import StoreJSON

/// The published slices of a restricted module in one version: the instances, or a single slice.
/// Unchanged slices are shared with the version before.
package final class RestrictedSlices: SlicesByReader, @unchecked Sendable {
    /// A slice with its readers.
    private final class Entry: Sendable {
        let bytes: Bytes
        /// The version that last changed the slice or its readers.
        let version: UInt64
        let readers: Readers

        init(_ bytes: Bytes, _ readers: Readers, at version: UInt64) {
            self.bytes = bytes
            self.version = version
            self.readers = readers
        }
    }

    /// The version in which a reader gained or lost a slice.
    private final class AccessChange: Sendable {
        let version: UInt64
        init(at version: UInt64) { self.version = version }
    }

    /// The name of the single slice, for a module without instances.
    static let singleName = ""

    private let entries: SortedTable<Entry>
    /// The version in which each reader last gained or lost a slice.
    private let accessChanges: SortedTable<AccessChange>
    /// The index of the instances; `nil` for a single slice.
    private let readerIndex: ReaderIndex?
    /// The first version that this server published.
    private let firstVersion: UInt64
    /// All slices, for a viewer that reads the slices of all owners.
    let allSlices: PublishedSlice

    private init(
        _ entries: SortedTable<Entry>,
        _ gains: SortedTable<AccessChange>,
        _ index: ReaderIndex?,
        from firstVersion: UInt64,
        whole: PublishedSlice
    ) {
        self.entries = entries
        self.accessChanges = gains
        self.readerIndex = index
        self.firstVersion = firstVersion
        self.allSlices = whole
    }

    /// Makes the slices of the first version that is published.
    convenience init(_ value: RestrictedValue, whole: PublishedSlice) {
        let none = RestrictedSlices(
            SortedTable(),
            SortedTable(),
            value.index,
            from: whole.version,
            whole: PublishedSlice(document: nil, version: whole.version)
        )
        let made = none.replacing(whole.pieces?.ids ?? [Self.singleName], of: value, whole: whole)
        self.init(made.entries, SortedTable(), value.index, from: whole.version, whole: whole)
    }

    /// Returns a copy for a later version: the slices with these names are new, and all other
    /// slices stay.
    func replacing(
        _ names: [String],
        of value: RestrictedValue,
        whole: PublishedSlice
    ) -> RestrictedSlices {
        var (entries, accessChanges) = (entries, accessChanges)
        let version = whole.version
        for name in names {
            let readers = value.readers(readerIndex == nil ? nil : name)
            let bytes = readerIndex == nil ? whole.bytes : whole.pieces?[name]
            Readers.forEachDifference(from: entries[name]?.readers ?? .none, to: readers) {
                accessChanges[$0] = AccessChange(at: version)
                _ = $1
            }
            entries[name] = bytes.map { Entry($0, readers, at: version) }
        }
        return RestrictedSlices(
            entries,
            accessChanges,
            value.index,
            from: firstVersion,
            whole: whole
        )
    }

    /// Returns the slice that a client gets: an object with the instances that the client reads, or
    /// the single slice. `client` is the ``ReaderName`` of the client.
    ///
    /// Cost: for each instance that the client reads, log2(n) steps for n instances.
    override func visible(to client: String) -> PublishedSlice {
        let gained = ReaderName.names(ofClient: client).reduce(firstVersion) {
            max($0, accessChanges[$1]?.version ?? 0)
        }
        guard let readerIndex else {
            guard let entry = entries[Self.singleName], entry.readers.contains(client) else {
                return PublishedSlice(document: nil, version: gained)
            }
            return PublishedSlice(document: entry.bytes, version: max(gained, entry.version))
        }
        var version = gained
        let seen = readerIndex.ids(for: client).compactMap { id in
            entries[id].map { entry in
                version = max(version, entry.version)
                return (key: id, value: entry.bytes)
            }
        }
        return PublishedSlice(
            .pieces(EncodedPieces(SortedTable(sorted: seen), allSlices.pieces?.layout ?? .object)),
            version: version
        )
    }

    override var bytes: Bytes? { allSlices.bytes }
    override var isStarted: Bool { allSlices.isStarted }
    override var startedCount: Int { allSlices.startedCount }
    override var pieces: EncodedPieces? { allSlices.pieces }
    override var isCheapToFind: Bool { allSlices.isCheapToFind }

    override func location(of pointer: JSONPointer) -> PartLocation {
        allSlices.location(of: pointer)
    }

    /// Returns true if a client reads an instance, or the single slice if `instance` is `nil`.
    func isReadable(_ instance: String?, by client: String) -> Bool {
        entries[instance ?? Self.singleName]?.readers.contains(client) == true
    }

    /// Returns the users whose slices differ from their slices in an earlier version. Returns `nil`
    /// if a changed slice has roles or all clients among its readers. Does not visit the slices
    /// that both versions share.
    override func owners(changedSince others: SlicesByReader) -> [String]? {
        guard let others = others as? RestrictedSlices else { return nil }
        var users: [String] = []
        var isOfUsers = true
        entries.forEachDifference(from: others.entries) { _, mine, theirs in
            for name in [mine, theirs].compactMap({ $0?.readers.names }).joined() {
                guard OwnerName.principal(of: name) != nil else {
                    isOfUsers = false
                    return false
                }
                users.append(name)
            }
            return true
        }
        return isOfUsers ? users : nil
    }
}
