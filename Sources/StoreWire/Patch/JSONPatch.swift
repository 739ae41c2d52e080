/// JSON Patch (RFC 6902): what leads from one document to another.
package enum JSONPatch {
    /// The operations that turn one document into the other: `[]` where they are equal.
    ///
    /// The same two documents always give the same bytes, and the patch is never longer than one
    /// that replaces the whole document. It consists of `add`, `remove` and `replace`.
    ///
    /// Items of arrays that have a member `id` of their own are compared by it (``KeyedElements``).
    ///
    /// Cost: one pass over both documents, skipping what is the same byte for byte, and for each
    /// pair of arrays what ``KeyedElements`` or ``SharedElements`` allows itself.
    package static func diff(from old: JSONDocument, to new: JSONDocument) -> Bytes {
        diff(from: old.root, to: new.root)
    }

    /// The operations that turn one value into the other, which are at this place in the document
    /// that the patch is for.
    package static func diff(
        from old: JSONNode,
        to new: JSONNode,
        at place: JSONPointer = .root
    ) -> Bytes {
        withExtendedLifetime((old.tape, new.tape)) {
            var diff = JSONPatchDiff()
            diff.compare(old, new, at: place)
            return diff.finish()
        }
    }

    /// A part of a document before and after it changed, as JSON.
    package struct Change {
        package let place: JSONPointer
        package let old: Bytes
        package let new: Bytes

        package init(at place: JSONPointer, from old: Bytes, to new: Bytes) {
            self.place = place
            self.old = old
            self.new = new
        }
    }

    /// The operations that change these parts of a document, none of which is within another.
    ///
    /// Cost: that of the parts, however large the document is.
    ///
    /// - Throws: where a part is no JSON.
    package static func diff(of changes: [Change]) throws(JSONError) -> Bytes {
        var diff = JSONPatchDiff()
        for change in changes {
            let old = try change.old.document()
            let new = try change.new.document()
            withExtendedLifetime((old.tape, new.tape)) {
                diff.compare(old.root, new.root, at: change.place)
            }
        }
        return diff.finish()
    }
}
