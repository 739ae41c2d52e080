/// JSON Patch (RFC 6902): the operations that turn one document into another.
package enum JSONPatch {
    /// Returns the operations that turn one document into the other; `[]` if the documents are
    /// equal.
    ///
    /// The same two documents always give the same bytes. The patch is never longer than a patch
    /// that replaces the whole document. The operations are `add`, `remove` and `replace`.
    ///
    /// Elements of arrays are matched by their member `id` if each element has a different `id`
    /// (``KeyedElements``).
    ///
    /// Cost: one pass over both documents, which skips parts that are equal byte for byte. Each
    /// pair of arrays costs at most the bounds of ``KeyedElements`` or ``SharedElements``.
    package static func diff(from old: JSONDocument, to new: JSONDocument) -> Bytes {
        diff(from: old.root, to: new.root)
    }

    /// Returns the operations that turn one value into the other. `place` is the pointer to both
    /// values in the document that the patch is for.
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

    /// A part of a document before and after a change, as JSON.
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

    /// Returns the operations that change these parts of a document. No part may be within another.
    ///
    /// Cost: depends on the size of the parts, not on the size of the document.
    ///
    /// - Throws: ``JSONError`` if a part is not valid JSON.
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
