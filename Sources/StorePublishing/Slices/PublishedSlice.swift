import StoreCore
import StoreJSON

/// A published slice of a module: immutable, and shared by every reader.
package struct PublishedSlice: Sendable {
    enum Form: Sendable {
        /// The slice is encoded as a whole; `nil` if the slice is absent.
        case whole(Bytes?)
        /// The module has instances, or its slice has other pieces.
        case pieces(EncodedPieces)
        /// The module has a slice for each session or each user.
        case owned(OwnedSlices)
        /// The module's slices say who reads them.
        case restricted(RestrictedSlices)
    }

    /// The version that last changed the slice, as far as this server has seen changes.
    package let version: UInt64
    private let form: Form

    init(_ form: Form, version: UInt64) {
        self.version = version
        self.form = form
    }

    /// Returns the same slice with the version of a later change.
    func with(version: UInt64) -> PublishedSlice { PublishedSlice(form, version: version) }

    /// The placeholder of a slice that is hidden from its reader.
    static let hidden = PublishedSlice(.whole(nil), version: 0)

    /// The slice as JSON; `nil` if the slice is absent. The first reader joins the pieces of a
    /// slice. A reader of one instance uses ``location(of:)`` instead.
    var bytes: Bytes? {
        switch form {
        case .whole(let bytes): bytes
        case .pieces(let pieces): pieces.joined
        case .owned(let slices): slices.joined
        case .restricted(let slices): slices.whole.bytes
        }
    }

    /// True if the module of the slice is started.
    package var isStarted: Bool {
        switch form {
        case .whole(let bytes): bytes != nil
        case .pieces: true
        case .owned(let slices): slices.isStarted
        case .restricted(let slices): slices.whole.isStarted
        }
    }

    /// The number of started slices. Each instance counts, and each slice of an owner.
    ///
    /// Cost: one step for each owner.
    package var startedCount: Int {
        switch form {
        case .whole(let bytes): bytes == nil ? 0 : 1
        case .pieces(let pieces): pieces.layout == .object ? pieces.count : 1
        case .owned(let slices): slices.startedCount
        case .restricted(let slices): slices.whole.startedCount
        }
    }

    /// The separately encoded pieces; `nil` if the slice has another form.
    package var pieces: EncodedPieces? {
        switch form {
        case .pieces(let pieces): pieces
        case .restricted(let slices): slices.whole.pieces
        case .whole, .owned: nil
        }
    }

    /// The slices of owners; `nil` if the slice has another form.
    var ownedSlices: OwnedSlices? {
        if case .owned(let slices) = form { slices } else { nil }
    }

    /// The slices that say who reads them; `nil` if the slice has another form.
    var restrictedSlices: RestrictedSlices? {
        if case .restricted(let slices) = form { slices } else { nil }
    }

    /// True if some clients get another slice than other clients.
    var dependsOnReader: Bool {
        switch form {
        case .whole, .pieces: false
        case .owned, .restricted: true
        }
    }

    /// Returns the slice that an owner gets. For a restricted slice, `owner` is the ``ReaderName``
    /// of a client.
    func visible(to owner: String) -> PublishedSlice {
        switch form {
        case .whole, .pieces: self
        case .owned(let slices): slices.visible(to: owner)
        case .restricted(let slices): slices.visible(to: owner)
        }
    }

    /// Returns the owners that get another slice than from an earlier version; `nil` if all owners
    /// may get another slice.
    func owners(changedSince old: PublishedSlice) -> [String]? {
        switch (form, old.form) {
        case (.owned(let mine), .owned(let theirs)): mine.owners(changedSince: theirs)
        case (.restricted(let mine), .restricted(let theirs)): mine.readers(changedSince: theirs)
        default: nil
        }
    }

    /// Returns true if a reader may get another value from this version of the slice than from an
    /// older version. After an owner ends, its reader gets the first slice again. The first slice
    /// is older than the owner's own slice, and may be equal to it.
    func differs(from old: PublishedSlice) -> Bool {
        version > old.version || (version < old.version && bytes != old.bytes)
    }

    /// The pieces whose names are the first tokens of pointers; `nil` if the slice has no such
    /// pieces.
    var addressablePieces: EncodedPieces? { pieces.flatMap { $0.layout == .object ? $0 : nil } }

    /// Returns true if ``bytes`` is cheap to make. With `isInside`, also true if a piece can be
    /// found without ``bytes``.
    func isAtHand(forPartInside isInside: Bool) -> Bool {
        (isInside && addressablePieces != nil) || isAtHand
    }

    /// True if ``bytes`` is cheap to make.
    package var isAtHand: Bool {
        switch form {
        case .whole: true
        case .pieces(let pieces): pieces.isCheapToJoin
        case .owned(let slices): slices.isAtHand
        case .restricted(let slices): slices.whole.isAtHand
        }
    }

    func location(of pointer: JSONPointer) -> PartLocation {
        switch form {
        case .whole(let bytes):
            let bytes = bytes ?? SliceLayout.absentSliceJSON
            return pointer == .root ? .resolved(bytes) : .inDocument(bytes, pointer)
        case .pieces(let pieces): return pieces.location(of: pointer)
        case .owned(let slices): return slices.location(of: pointer)
        case .restricted(let slices): return slices.whole.location(of: pointer)
        }
    }
}
