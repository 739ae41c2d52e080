import StorePublishing
import StoreTexts
import StoreWire

/// The state of one version, as far as one caller may read it.
///
/// Only this has the bytes of a version for those who answer requests. Cost: two references.
package struct VisibleState: Sendable {
    private let snapshot: Snapshot
    private let documents: ParsedDocuments

    /// Whether other callers see something else in the version of the same tag, so that no cache
    /// may give one what another has got.
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
    /// Whether versions may change nothing that the caller sees.
    var isPartial: Bool { snapshot.hasSessions || snapshot.isNarrowed }
    /// The version that last changed what the caller sees, as far as this server has seen.
    var changedVersion: UInt64 { snapshot.changedVersion }

    /// Whether the caller saw the same in the version of this tag.
    func isSame(as known: EntityTag) -> Bool {
        guard let known = Tag(known.opaque), known.epoch == tag.epoch else { return false }
        return known.version == version
            || (isPartial && known.version < version && known.version >= changedVersion)
    }

    /// All of it, as JSON. Where ``isAtHand`` is false, it is put together first.
    var whole: Bytes { snapshot.state }

    /// Whether ``whole`` costs little.
    var isAtHand: Bool { snapshot.isAtHand(.root) }

    /// Whether the module at this place is started.
    func isStarted(_ module: Int) -> Bool { snapshot.slices[module].isStarted }

    /// How many slices of the module at this place are there, of instances and sessions.
    func sliceCount(_ module: Int) -> Int { snapshot.slices[module].count }

    /// The ids of a module's instances, in their order; none where it has a single slice.
    func instances(of module: Int) -> [String] { snapshot.slices[module].pieces?.ids ?? [] }

    /// A view of it, `nil` where there is nothing to show. Takes as long as the view does.
    func bytes(
        of request: ViewRequest,
        by views: any PublishedViews
    ) throws(JSONError) -> Bytes? {
        try views.bytes(of: request, in: snapshot)
    }

    /// The part that a pointer leads to, or `nil` where it leads nowhere, however long that takes.
    func part(at pointer: JSONPointer) -> Bytes? {
        documents.part(at: pointer, in: snapshot)
    }

    /// The same, where it costs little. A small document is parsed in the workspace.
    func quickPart(at pointer: JSONPointer, _ workspace: JSONWorkspace) -> QuickPart {
        documents.quickPart(at: pointer, in: snapshot, workspace)
    }
}
