import StoreActionCatalog
package import StoreCore
package import StoreJSON
package import StoreWire

/// Functions that make patches between two states. Slices are compared one by one. If a slice is
/// made of pieces, only the differing pieces are encoded and compared.
package enum StatePatch {
    /// Returns the patch between two states of modules, as a viewer sees them. Only the slices in
    /// `edits` may differ.
    ///
    /// - Throws: an error if a value can't be encoded (for instance, a number without a JSON form).
    package static func make<Root: RootState>(
        from old: Root,
        to new: Root,
        in edits: [SliceEdit],
        for viewer: Viewer,
        with encoder: JSONEncoder
    ) throws(JSONError) -> Bytes {
        var changes: [JSONPatch.Change] = []
        for module in Set(edits.map(\.moduleIndex)).sorted() {
            let mount = Root.modules[module]
            guard viewer.sees(module: mount.name) else { continue }
            let ownership = Root.readOwnership[module]
            let owner = ownership == .principal ? viewer.owner : viewer.session
            var (old, new) = (old, new)
            if ownership == .readers, let client = viewer.readerName {
                guard mount.slicePlace.ownership == .readers else { continue }
                mount.slicePlace.narrow(&old, to: client)
                mount.slicePlace.narrow(&new, to: client)
            }
            changes += try self.changes(of: mount, from: old, to: new, for: owner?.text, encoder)
        }
        return try JSONPatch.diff(of: changes)
    }

    /// Returns the function that compares the states of dry runs. `patch` makes the patch between
    /// two states, given the slices that may differ.
    package static func dryRunComparison<State: Encodable & Sendable>(
        of type: State.Type,
        _ patch: @escaping @Sendable (State, State, [SliceEdit], Viewer) throws(JSONError) -> Bytes
    ) -> DryRunComparison {
        { run, viewer in
            Result { () throws(JSONError) in
                guard let before = run.stateBefore as? State, let after = run.stateAfter as? State
                else {
                    throw JSONError(
                        code: .unencodable,
                        message: "the dry run has no states to compare"
                    )
                }
                return try patch(before, after, run.edits, viewer)
            }
        }
    }

    /// Returns the patch between two states of any type.
    package static func make<State: Encodable>(
        from old: State,
        to new: State,
        with encoder: JSONEncoder
    ) throws(JSONError) -> Bytes {
        let (old, new) = (try encoder.encodeShared(old), try encoder.encodeShared(new))
        return try JSONPatch.diff(of: [.init(at: .root, from: old, to: new)])
    }

    private static func changes<Root: RootState>(
        of mount: Mount<Root>,
        from old: Root,
        to new: Root,
        for owner: String?,
        _ encoder: JSONEncoder
    ) throws(JSONError) -> [JSONPatch.Change] {
        let pointer = JSONPointer(tokens: [mount.name])
        var (before, after) = (mount.slicePlace.memberValue(old), mount.slicePlace.memberValue(new))
        if let old = before as? RestrictedValue, let new = after as? RestrictedValue {
            (before, after) = (old.value, new.value)
        }
        if let owner, let old = before as? any OwnedValues,
            let new = after as? any OwnedValues
        {
            (before, after) = (old.value(of: owner), new.value(of: owner))
        }
        if let before = before as? any PiecewiseState, let after = after as? any PiecewiseState,
            let pieces = try self.pieceChanges(
                from: before,
                to: after,
                at: pointer,
                for: owner,
                encoder
            )
        {
            return pieces
        }
        let part = mount.slicePlace.ownership == .keyedBySession ? owner : nil
        let (from, to) = (
            try encodedSlice(before, part, encoder), try encodedSlice(after, part, encoder)
        )
        return [.init(at: pointer, from: from, to: to)]
    }

    /// Returns the changes of the differing pieces that the session may see. Returns `nil` if a
    /// piece was added or removed, or if pieces have no names on the wire.
    private static func pieceChanges(
        from old: any PiecewiseState,
        to new: any PiecewiseState,
        at place: JSONPointer,
        for session: String?,
        _ encoder: JSONEncoder
    ) throws(JSONError) -> [JSONPatch.Change]? {
        let form = type(of: new).pieceLayout
        let isSeen = { (name: String) in
            session.map { form != .objectBySession || name.isSame(as: $0) } ?? true
        }
        let after = new.changedPieces(since: old).filter { isSeen($0.key) }
        if after.isEmpty { return [] }
        guard form == .object || form == .objectBySession else { return nil }
        let before = old.changedPieces(since: new).filter { isSeen($0.key) }
        var changes: [JSONPatch.Change] = []
        for (old, new) in zip(before, after) {
            guard let mine = old.value, let theirs = new.value else { return nil }
            let (from, to) = (try encode(mine, encoder), try encode(theirs, encoder))
            changes.append(.init(at: place.appending(new.key), from: from, to: to))
        }
        return changes
    }

    /// Encodes a slice. If each session has a part of the slice, encodes only the part of this
    /// session.
    private static func encodedSlice(
        _ value: (any Encodable & Sendable)?,
        _ session: String?,
        _ encoder: JSONEncoder
    ) throws(JSONError) -> Bytes {
        guard let session, let value = value as? any PiecewiseState else {
            return try encode(value, encoder)
        }
        let own = value.pieces.first { $0.key.isSame(as: session) }
        let part = try own.map { piece throws(JSONError) in try encode(piece.value, encoder) }
        var json = JSONWriter(capacity: 64)
        json.object { json in
            guard let part else { return }
            json.key(session)
            json.raw(part)
        }
        return json.bytes
    }

    private static func encode(
        _ value: (any Encodable & Sendable)?,
        _ encoder: JSONEncoder
    ) throws(JSONError) -> Bytes {
        guard let value else { return SliceLayout.absentSliceJSON }
        return try encoder.encodeShared(AnyEncodable(value))
    }
}

/// A function that finds the changes of a dry run, as a viewer sees them.
package typealias DryRunComparison = @Sendable (DryRun, Viewer) -> Result<Bytes, JSONError>
