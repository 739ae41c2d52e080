import StoreTexts

/// JSON Patch (RFC 6902): the operations that turn one document into another.
package enum JSONPatch {
    /// The value at a pointer in a document, before and after a change, as JSON.
    package struct Change {
        package let pointer: JSONPointer
        package let old: Bytes
        package let new: Bytes

        package init(at place: JSONPointer, from old: Bytes, to new: Bytes) {
            self.pointer = place
            self.old = old
            self.new = new
        }
    }

    /// Returns the patch with these changes of a document; `[]` if all values are unchanged. The
    /// value of a change must not be within the value of another change.
    ///
    /// The same changes always give the same bytes. The operations are `add`, `remove` and
    /// `replace`. The operations of a change are never longer than a single `replace` of the whole
    /// value. Elements of arrays are matched by their member `id` if each element has a different
    /// `id` (``KeyedElements``).
    ///
    /// Cost: one pass over the values. The comparison of two arrays costs at most the bounds of
    /// ``KeyedElements`` or ``SharedElements``.
    ///
    /// - Throws: ``JSONError`` if a value is not valid JSON.
    package static func diff(of changes: [Change]) throws(JSONError) -> Bytes {
        var diff = JSONPatchWriter()
        for change in changes {
            try diff.compare(change.old, change.new, at: change.pointer)
        }
        return diff.finish()
    }
}

// Application

/// The reason why a patch could not be applied (RFC 6902 §5). If an operation fails, no operation
/// of the patch takes effect.
package struct JSONPatchError: Error, Sendable, Equatable {
    /// The index of the operation that failed, from 0.
    package let operationIndex: Int
    package let message: String
}

extension JSONPatch {
    /// Applies a patch to a document. Throws an error if an operation fails; no operation then
    /// takes effect.
    package static func apply(
        _ patch: JSONDocument,
        to document: JSONDocument
    ) throws(JSONPatchError) -> Bytes {
        let tree = try apply(patch, to: JSONTree(document.root))
        var writer = JSONWriter(capacity: 1_024)
        tree.write(to: &writer)
        return writer.bytes
    }

    package static func apply(
        _ patch: JSONDocument,
        to tree: JSONTree
    ) throws(JSONPatchError) -> JSONTree {
        guard patch.root.kind == .array else {
            throw JSONPatchError(operationIndex: 0, message: "A patch is an array of operations.")
        }
        var tree = tree
        for (number, operation) in patch.root.elements.enumerated() {
            guard apply(operation, to: &tree) else {
                let message = "This cannot be applied: \(operation.sourceText)"
                throw JSONPatchError(operationIndex: number, message: message)
            }
        }
        return tree
    }

    private static func apply(_ operation: JSONNode, to tree: inout JSONTree) -> Bool {
        guard let path = pointer("path", of: operation) else { return false }
        let value = operation.member(named: "value").map { JSONTree($0) }
        switch (operation.member(named: "op")?.stringValue, value) {
        case ("add", let value?): return tree.add(value, at: path.tokens[...])
        case ("remove", _): return tree.remove(at: path.tokens[...]) != nil
        case ("replace", let value?): return tree.replace(value, at: path.tokens[...])
        case ("test", let value?): return tree.value(at: path.tokens[...]) == value
        case ("copy", _):
            guard let from = pointer("from", of: operation),
                let value = tree.value(at: from.tokens[...])
            else { return false }
            return tree.add(value, at: path.tokens[...])
        case ("move", _):
            guard let from = pointer("from", of: operation),
                !(path.tokens.count > from.tokens.count
                    && path.tokens.starts(with: from.tokens, by: { $0.isSame(as: $1) })),
                let value = tree.remove(at: from.tokens[...])
            else { return false }
            return tree.add(value, at: path.tokens[...])
        default: return false
        }
    }

    private static func pointer(_ name: String, of operation: JSONNode) -> JSONPointer? {
        operation.member(named: name)?.stringValue.flatMap { JSONPointer($0) }
    }
}

extension JSONTree {
    func value(at path: ArraySlice<String>) -> JSONTree? {
        guard let token = path.first else { return self }
        switch self {
        case .array(let elements):
            guard let index = JSONPointer.arrayIndex(token), index < elements.count else {
                return nil
            }
            return elements[index].value(at: path.dropFirst())
        case .object(let members):
            return members.first { $0.name.isSame(as: token) }?.value.value(at: path.dropFirst())
        default: return nil
        }
    }

    mutating func add(_ value: JSONTree, at path: ArraySlice<String>) -> Bool {
        guard let last = path.last else {
            self = value
            return true
        }
        return change(at: path.dropLast()) { parent in
            switch parent {
            case .array(var elements):
                let end = last == "-" ? elements.count : JSONPointer.arrayIndex(last)
                guard let index = end, index <= elements.count else { return false }
                elements.insert(value, at: index)
                parent = .array(elements)
            case .object(var members):
                if let index = members.firstIndex(where: { $0.name.isSame(as: last) }) {
                    members[index].value = value
                } else {
                    members.append((last, value))
                }
                parent = .object(members)
            default: return false
            }
            return true
        }
    }

    mutating func replace(_ value: JSONTree, at path: ArraySlice<String>) -> Bool {
        change(at: path) {
            $0 = value
            return true
        }
    }

    fileprivate mutating func remove(at path: ArraySlice<String>) -> JSONTree? {
        guard let last = path.last, let removed = value(at: path) else { return nil }
        let wasRemoved = change(at: path.dropLast()) { parent in
            switch parent {
            case .array(var elements):
                guard let index = JSONPointer.arrayIndex(last) else { return false }
                elements.remove(at: index)
                parent = .array(elements)
            case .object(var members):
                members.removeAll { $0.name.isSame(as: last) }
                parent = .object(members)
            default: return false
            }
            return true
        }
        return wasRemoved ? removed : nil
    }

    private mutating func change(
        at path: ArraySlice<String>,
        _ body: (inout JSONTree) -> Bool
    ) -> Bool {
        guard let token = path.first else { return body(&self) }
        switch self {
        case .array(var elements):
            guard let index = JSONPointer.arrayIndex(token), index < elements.count,
                elements[index].change(at: path.dropFirst(), body)
            else { return false }
            self = .array(elements)
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.name.isSame(as: token) }),
                members[index].value.change(at: path.dropFirst(), body)
            else { return false }
            self = .object(members)
        default: return false
        }
        return true
    }
}
