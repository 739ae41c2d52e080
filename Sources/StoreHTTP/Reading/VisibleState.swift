import StoreAdmission
import StoreJSON
import StorePublishing
import StoreWire

/// The state of a version, limited to the parts that a caller may read.
///
/// A copy of this value costs little, because the value holds references and not bytes. So the
/// functions for answers take this value, and read the bytes of the version from the value.
package struct VisibleState: Sendable {
    private let snapshot: Snapshot
    private let documents: ParsedDocuments

    /// True if callers may get different content under one tag. No shared cache may then store an
    /// answer.
    let isPrivate: Bool

    init(_ snapshot: Snapshot, _ documents: ParsedDocuments, for caller: Caller) {
        isPrivate = caller.identity != nil
        self.snapshot = snapshot
        self.documents = documents
    }

    var tag: Tag { snapshot.tag }
    /// The tag as an entity tag, quotes included.
    var etag: String { snapshot.etag }
    var version: UInt64 { snapshot.version }
    /// True if a new version may leave the caller's part of the state unchanged.
    var isPartial: Bool { snapshot.hasOwners || snapshot.isNarrowed }
    /// The version that last changed the caller's part, as far as this server has observed.
    var lastChangeVersion: UInt64 { snapshot.lastChangeVersion }

    /// True if the caller's part of the state has not changed since the version of this tag.
    func isUnchanged(since known: EntityTag) -> Bool {
        guard let known = Tag(known.opaqueTag), known.epoch == tag.epoch else { return false }
        return known.version == version
            || (isPartial && known.version < version && known.version >= lastChangeVersion)
    }

    /// The whole state as JSON, as far as the caller sees it. If ``isAssembled`` is false, the
    /// first use assembles the JSON.
    var wholeState: Bytes { snapshot.state }

    /// True if the JSON in ``wholeState`` is already assembled.
    var isAssembled: Bool { snapshot.isCheapToFind(.root) }

    func isStarted(_ module: Int) -> Bool { snapshot.slices[module].isStarted }

    /// Returns the number of slices of the module at this index, including the slices of all
    /// instances and sessions.
    func sliceCount(_ module: Int) -> Int { snapshot.slices[module].startedCount }

    /// Returns the ids of a module's instances, in their order; empty for a single slice.
    func instanceIDs(of module: Int) -> [String] { snapshot.slices[module].pieces?.ids ?? [] }

    /// Makes a view of the state, on the calling thread. Returns `nil` if the view shows nothing.
    func viewBytes(
        of request: ViewRequest,
        by views: any PublishedViews
    ) throws(JSONError) -> Bytes? { try views.bytes(of: request, in: snapshot) }

    /// Returns the part at a pointer, if there is one. May parse or assemble a large document.
    func part(at pointer: JSONPointer) -> Bytes? { documents.part(at: pointer, in: snapshot) }

    /// Returns the window of the object at a pointer; `nil` if the pointer leads to no object. May
    /// parse or assemble a large document.
    func content(of window: MemberWindow, at pointer: JSONPointer) -> MemberWindow.Content? {
        documents.content(of: window, at: pointer, in: snapshot)
    }

    /// Returns true if a call of ``content(of:at:)`` is quick.
    func isContentQuick(of window: MemberWindow, at pointer: JSONPointer) -> Bool {
        documents.isContentQuick(of: window, at: pointer, in: snapshot)
    }

    /// Returns the part at a pointer if the search is quick. A small document is parsed in the
    /// memory of the workspace.
    func quickPart(at pointer: JSONPointer, _ workspace: JSONWorkspace) -> QuickPart {
        documents.quickPart(at: pointer, in: snapshot, workspace)
    }
}
