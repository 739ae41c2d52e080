import StoreCore
import StoreJSON

/// A published slice of a module: immutable, and shared by every reader.
package struct PublishedSlice: Sendable {
    enum Content: Sendable {
        /// The slice is encoded as one document, with or without tables; `nil` if the slice is
        /// absent.
        case document(Bytes?)
        /// The module has instances, or its slice has other pieces.
        case pieces(EncodedPieces)
        /// The module has a slice for each session or each user, or has restricted slices.
        case byReader(SlicesByReader)
    }

    /// The version that last changed the slice, or the first version that this server published.
    package let version: UInt64
    private let content: Content
    /// True if the slice is one document with tables. Stored, because reading the document would
    /// count references.
    private let hasTables: Bool

    /// Makes a slice of one document. `document` is `nil` if the slice is absent.
    init(document: Bytes?, version: UInt64) {
        self.init(.document(document), hasTables: document?.outlined != nil, version: version)
    }

    init(_ content: Content, version: UInt64) {
        self.init(content, hasTables: false, version: version)
    }

    private init(_ content: Content, hasTables: Bool, version: UInt64) {
        self.version = version
        self.content = content
        self.hasTables = hasTables
    }

    /// Returns the same slice with the version of a later change.
    func with(version: UInt64) -> PublishedSlice {
        PublishedSlice(content, hasTables: hasTables, version: version)
    }

    /// The placeholder for a slice that is hidden from the reader.
    static let hidden = PublishedSlice(document: nil, version: 0)

    /// The slice as JSON; `nil` if the slice is absent. The first reader joins the pieces of a
    /// slice. A reader of one instance uses ``location(of:)`` instead.
    var bytes: Bytes? {
        switch content {
        case .document(let bytes): bytes
        case .pieces(let pieces): pieces.joined
        case .byReader(let slices): slices.bytes
        }
    }

    /// True if the module of the slice is started.
    package var isStarted: Bool {
        switch content {
        case .document(let bytes): bytes != nil
        case .pieces: true
        case .byReader(let slices): slices.isStarted
        }
    }

    /// The number of started slices. Each instance counts, and each slice of an owner.
    ///
    /// Cost: one step for each owner.
    package var startedCount: Int {
        switch content {
        case .document(let bytes): bytes == nil ? 0 : 1
        case .pieces(let pieces): pieces.layout == .object ? pieces.count : 1
        case .byReader(let slices): slices.startedCount
        }
    }

    /// The separately encoded pieces; `nil` if the slice has another form.
    package var pieces: EncodedPieces? {
        switch content {
        case .pieces(let pieces): pieces
        case .byReader(let slices): slices.pieces
        case .document: nil
        }
    }

    /// The slices of owners; `nil` if the slice has another form.
    var ownedSlices: OwnedSlices? {
        if case .byReader(let slices) = content { slices as? OwnedSlices } else { nil }
    }

    /// The restricted slices; `nil` if the slice has another form.
    var restrictedSlices: RestrictedSlices? {
        if case .byReader(let slices) = content { slices as? RestrictedSlices } else { nil }
    }

    /// True if different clients may get different slices.
    var dependsOnReader: Bool {
        if case .byReader = content { true } else { false }
    }

    /// Returns the slice that an owner gets. For a restricted slice, `owner` is the ``ReaderName``
    /// of a client.
    func visible(to owner: String) -> PublishedSlice {
        if case .byReader(let slices) = content { slices.visible(to: owner) } else { self }
    }

    /// Returns the owners whose slices differ from their slices in an earlier version; `nil` if the
    /// slices of all owners may differ.
    func owners(changedSince old: PublishedSlice) -> [String]? {
        guard case .byReader(let mine) = content, case .byReader(let theirs) = old.content else {
            return nil
        }
        return mine.owners(changedSince: theirs)
    }

    /// Returns true if a reader's value may differ between this version of the slice and an older
    /// version. After an owner ends, its reader gets the initial slice again. This slice is older
    /// than the owner's own slice, and may have the same bytes.
    func differs(from old: PublishedSlice) -> Bool {
        version > old.version || (version < old.version && bytes != old.bytes)
    }

    /// The pieces, if the first token of a pointer into the slice names a piece; else `nil`.
    var addressablePieces: EncodedPieces? { pieces.flatMap { $0.layout == .object ? $0 : nil } }

    /// Returns true if ``bytes`` is cheap to make. With `isInside`, also returns true if a piece
    /// can be found without ``bytes``.
    func isCheapToFind(forPartInside isInside: Bool) -> Bool {
        isCheapToFind || isInside && (addressablePieces != nil || hasTables)
    }

    /// The JSON of a slice that is a document with tables; `nil` for other slices. A row of the
    /// document is found without joining ``bytes``.
    var documentWithTables: Bytes? {
        guard hasTables, case .document(let bytes) = content else { return nil }
        return bytes
    }

    /// True if ``bytes`` is cheap to make.
    package var isCheapToFind: Bool {
        switch content {
        case .document: !hasTables || documentWithTables?.isCheapToJoin == true
        case .pieces(let pieces): pieces.isCheapToJoin
        case .byReader(let slices): slices.isCheapToFind
        }
    }

    func location(of pointer: JSONPointer) -> PartLocation {
        switch content {
        case .document(let bytes):
            let bytes = bytes ?? SliceLayout.absentSliceJSON
            return pointer == .root ? .resolved(bytes) : .inDocument(bytes, pointer)
        case .pieces(let pieces): return pieces.location(of: pointer)
        case .byReader(let slices): return slices.location(of: pointer)
        }
    }
}

/// The published slices of a module that has different slices for different clients. This type is a
/// class, so a published slice stores only a reference.
package class SlicesByReader: @unchecked Sendable {
    // Safety: the members of the subclasses are immutable, or have a lock of their own.

    /// The slices of all owners or readers as JSON; `nil` if there is no slice.
    var bytes: Bytes? { nil }
    /// True if a slice is started.
    var isStarted: Bool { false }
    /// The number of started slices.
    var startedCount: Int { 0 }
    /// The pieces of all slices; `nil` if the slices are not made of pieces.
    var pieces: EncodedPieces? { nil }
    /// True if ``bytes`` is cheap to make.
    var isCheapToFind: Bool { true }

    /// Returns the slice that an owner, or the client with a ``ReaderName``, gets.
    func visible(to owner: String) -> PublishedSlice { .hidden }

    /// Returns the owners whose slices differ from their slices in an earlier version; `nil` if the
    /// slices of all owners may differ.
    func owners(changedSince others: SlicesByReader) -> [String]? { nil }

    /// Returns the location of a part in ``bytes``.
    func location(of pointer: JSONPointer) -> PartLocation { .resolved(nil) }
}
