/// JSON Patch (RFC 6902): what leads from one document to another.
package enum JSONPatch {
    /// The operations that turn one document into the other: `[]` where they are equal.
    ///
    /// The same two documents always give the same bytes, and the patch is never longer than one
    /// that replaces the whole document. It consists of `add`, `remove` and `replace`.
    ///
    /// Cost: one pass over both documents, skipping what is the same byte for byte, and for each
    /// pair of arrays what ``SharedElements`` allows itself.
    package static func diff(from old: JSONDocument, to new: JSONDocument) -> Bytes {
        diff(from: old.root, to: new.root)
    }

    /// The operations that turn one value into the other.
    ///
    /// - Parameter place: where the values are in the document that the patch is for.
    package static func diff(
        from old: JSONNode,
        to new: JSONNode,
        at place: JSONPointer = .root
    ) -> Bytes {
        withExtendedLifetime((old.tape, new.tape)) {
            var diff = JSONPatchDiff(place: place)
            diff.compare(old, new)
            return diff.finish()
        }
    }
}
