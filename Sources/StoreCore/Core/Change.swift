/// The change that an action made to the state. After the commit, the change determines the parts
/// of the state to encode, to send and to show to observers.
package struct Change: Sendable {
    /// True if the bytes of the state have changed.
    package var changesState: Bool
    /// The slices that have changed or were started again, if the state is made of modules.
    package var edits: SliceEdits
    /// True if only the sender of the action sees the change, because the action changed no shared
    /// slice. Other sessions then see only a new version number.
    package var isVisibleToSenderOnly = false

    package init(
        changesState: Bool,
        edits: SliceEdits = SliceEdits(),
        isVisibleToSenderOnly: Bool = false
    ) {
        self.changesState = changesState
        self.edits = edits
        self.isVisibleToSenderOnly = isVisibleToSenderOnly
    }

    /// Adds the edit of a slice, or merges the edit with an earlier edit of the same slice.
    mutating func add(_ edit: SliceEdit) { edits.insert(edit) }

    /// The change of an action that changed nothing.
    package static let none = Change(changesState: false)
}

/// A slice that an action has written.
package struct SliceEdit: Sendable, Hashable {
    /// The module's index in ``RootState/modules``.
    package let moduleIndex: Int
    /// The key of the slice. If the module has slices of sessions or instances, and the key names
    /// no slice, all slices of the module may have changed.
    package private(set) var key: SliceKey
    /// True if the bytes of the slice have changed.
    package fileprivate(set) var changesSlice: Bool
    /// True if the slice was started although it already existed.
    package fileprivate(set) var isRestart: Bool

    package init(
        _ module: Int,
        _ key: SliceKey = .only,
        changesSlice: Bool = true,
        isRestart: Bool = false
    ) {
        self.moduleIndex = module
        self.key = key
        self.changesSlice = changesSlice
        self.isRestart = isRestart
    }

    fileprivate func isSameSlice(as other: SliceEdit) -> Bool {
        moduleIndex == other.moduleIndex && key == other.key
    }

    fileprivate mutating func merge(_ other: SliceEdit) {
        if other.changesSlice { changesSlice = true }
        if other.isRestart { isRestart = true }
        if other.key.readers != nil { key = other.key }
    }
}

/// The slices that an action has written. Most actions write one slice, so the first slice is
/// stored inline, without an allocation.
package struct SliceEdits: Sendable, Sequence {
    private var first: SliceEdit?
    private var furtherEdits: [SliceEdit] = []

    package init() {}

    package mutating func insert(_ edit: SliceEdit) {
        guard let first else {
            self.first = edit
            return
        }
        if first.isSameSlice(as: edit) {
            self.first?.merge(edit)
        } else if let place = furtherEdits.firstIndex(where: edit.isSameSlice) {
            furtherEdits[place].merge(edit)
        } else {
            furtherEdits.append(edit)
        }
    }

    @inline(__always)
    package func forEach(_ body: (SliceEdit) -> Void) {
        guard let first else { return }
        body(first)
        if furtherEdits.count > 0 { furtherEdits.forEach(body) }
    }

    /// Calls `body` with the module of each slice. Copies no ``SliceEdit``.
    @inline(__always)
    func forEachModule(_ body: (Int) -> Void) {
        guard let module = first?.moduleIndex else { return }
        body(module)
        if furtherEdits.count > 0 { furtherEdits.forEach { body($0.moduleIndex) } }
    }

    /// True if a slice has changed in a module for which `sees` returns true. Copies no
    /// ``SliceEdit``.
    @inline(__always)
    func hasChange(inModuleWhere sees: (Int) -> Bool) -> Bool {
        if first?.changesSlice == true, let module = first?.moduleIndex, sees(module) {
            return true
        }
        return furtherEdits.count > 0
            && furtherEdits.contains { $0.changesSlice && sees($0.moduleIndex) }
    }

    package func makeIterator() -> Array<SliceEdit>.Iterator {
        (first.map { [$0] + furtherEdits } ?? []).makeIterator()
    }
}
