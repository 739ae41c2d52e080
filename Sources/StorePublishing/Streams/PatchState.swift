import StoreJSON
import StoreWire

/// The published bytes of one version of a topic, for streams in patch mode. The stream writer's
/// thread makes the patches, and compares only the parts that differ.
final class PatchState: TopicState {
    let unsharedByteCount: Int
    private let tag: Tag
    /// The slices of a state that is made of modules, or the one part of the topic.
    private let parts: [Bytes?]
    private let layout: SliceLayout?

    /// Makes the state of a topic with one part. `part` is `nil` if the part is gone. The bytes
    /// that `old` shares do not count in ``unsharedByteCount``.
    init(_ part: Bytes?, at tag: Tag, after old: Bytes? = nil) {
        self.tag = tag
        parts = [part]
        layout = nil
        unsharedByteCount = part?.byteCount(notSharedWith: old) ?? 0
    }

    /// Makes the state of a topic that shows the whole state. `version` is the number of an earlier
    /// version that shows the same state, or `nil`. The bytes that `before` shares do not count in
    /// ``unsharedByteCount``.
    init(_ snapshot: Snapshot, at version: UInt64? = nil, after before: Snapshot?) {
        tag = Tag(epoch: snapshot.tag.epoch, version: version ?? snapshot.version)
        layout = snapshot.layout
        parts = layout == nil ? [snapshot.state] : snapshot.slices.map(\.bytes)
        let old = before.map { $0.layout == nil ? [$0.state] : $0.slices.map(\.bytes) } ?? []
        unsharedByteCount = Self.unsharedByteCount(of: parts, besides: old)
    }

    func snapshotFrame() -> Bytes {
        if let layout { return SSEFrame.state(layout.joinedState(parts), at: tag, isNamed: true) }
        let state = parts[0].map { SSEFrame.state($0, at: tag, isNamed: true) }
        return state ?? SSEFrame.gone(at: tag)
    }

    func patchFrame(from old: any TopicState, skipsVersions: Bool) -> Bytes? {
        guard let old = old as? PatchState, old.parts.count == parts.count,
            !isGone, !old.isGone
        else { return nil }
        let changes = parts.indices.compactMap { index -> JSONPatch.Change? in
            let (before, after) = (old.part(index), part(index))
            return before == after ? nil : .init(at: pointer(of: index), from: before, to: after)
        }
        guard let patch = try? JSONPatch.diff(of: changes),
            !skipsVersions || patch.count <= wholeByteCount
        else { return nil }
        return SSEFrame.patch(patch, to: tag)
    }

    func unsharedByteCount(beside newer: any TopicState) -> Int {
        Self.unsharedByteCount(of: parts, besides: (newer as? PatchState)?.parts ?? [])
    }

    /// True if the topic's one part is gone. No patch leads to or from this version.
    private var isGone: Bool { layout == nil && parts[0] == nil }

    private var wholeByteCount: Int { layout?.byteCount(of: parts) ?? part(0).count }

    private func part(_ index: Int) -> Bytes { parts[index] ?? SliceLayout.absentSliceJSON }

    private func pointer(of index: Int) -> JSONPointer {
        layout.map { JSONPointer(tokens: [$0.names[index]]) } ?? .root
    }

    /// Returns the number of bytes in `parts` that `others` do not share.
    private static func unsharedByteCount(of parts: [Bytes?], besides others: [Bytes?]) -> Int {
        parts.indices.reduce(0) { bytes, index in
            let other = others.indices.contains(index) ? others[index] : nil
            return bytes + (parts[index]?.byteCount(notSharedWith: other) ?? 0)
        }
    }
}
