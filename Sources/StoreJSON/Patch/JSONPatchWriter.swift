import StoreTexts

/// A writer of patches. The writer compares an old and a new value, and writes the operations of
/// the patch.
struct JSONPatchWriter: ~Copyable {
    private var output: JSONOutput
    /// The pointer to the present pair of values, in UTF-8, without the escapes of a JSON string.
    private var path: [UInt8] = []

    init() {
        output = JSONOutput(capacity: 1_024)
        output.byte(UInt8(ascii: "["))
    }

    consuming func finish() -> Bytes {
        output.byte(UInt8(ascii: "]"))
        return output.sharedBytes
    }

    /// Compares the old and the new value at `place` in the document, and writes the operations
    /// that change one into the other.
    mutating func compare(_ old: JSONNode, _ new: JSONNode, at place: JSONPointer) {
        path = Array(place.description.utf8)
        compare(old, new)
    }

    private mutating func compare(_ old: JSONNode, _ new: JSONNode) {
        if old.hasSameSource(as: new) { return }
        let start = output.count
        switch (old.kind, new.kind) {
        case (.object, .object): compareObjects(old, new)
        case (.array, .array): compareArrays(old, new)
        default: return writeOperation("replace", value: new)
        }
        // If a single `replace` of the whole value is shorter, write it in place of the operations.
        let comma = start > 1 ? 1 : 0
        if output.count - start > comma + replaceOperationBytes(new) {
            output.truncate(to: start)
            writeOperation("replace", value: new)
        }
    }

    // Objects

    private mutating func compareObjects(_ old: JSONNode, _ new: JSONNode) {
        // Two states of one type usually have the same members in the same order. This loop
        // compares the members without decoding the names of equal members.
        var oldKey = old.firstChildIndex
        var newKey = new.firstChildIndex
        while oldKey < old.childrenEndIndex, newKey < new.childrenEndIndex,
            old.node(at: oldKey).hasSameSource(as: new.node(at: newKey))
        {
            compareMember(new.tape, newKey, old.node(at: oldKey + 1), new.node(at: newKey + 1))
            oldKey = old.indexAfter(oldKey + 1)
            newKey = new.indexAfter(newKey + 1)
        }

        var left: [ExactText: Int] = [:]
        var removable: [Int] = []
        while oldKey < old.childrenEndIndex {
            left[ExactText(old.tape.string(at: oldKey))] = oldKey + 1
            removable.append(oldKey)
            oldKey = old.indexAfter(oldKey + 1)
        }
        var added: [Int] = []
        var kept: [(old: Int, newKey: Int)] = []
        while newKey < new.childrenEndIndex {
            if let value = left.removeValue(forKey: ExactText(new.tape.string(at: newKey))) {
                kept.append((value, newKey))
            } else {
                added.append(newKey)
            }
            newKey = new.indexAfter(newKey + 1)
        }
        for key in removable {
            let name = old.tape.string(at: key)
            guard left[ExactText(name)] != nil else { continue }
            withExtendedPath(by: name) { $0.writeOperation("remove") }
        }
        for (value, key) in kept {
            compareMember(new.tape, key, old.node(at: value), new.node(at: key + 1))
        }
        for key in added {
            withExtendedPath(by: new.tape.string(at: key)) {
                $0.writeOperation("add", value: new.node(at: key + 1))
            }
        }
    }

    private mutating func compareMember(
        _ tape: JSONTape,
        _ key: Int,
        _ old: JSONNode,
        _ new: JSONNode
    ) {
        if old.hasSameSource(as: new) { return }
        withExtendedPath(by: tape.string(at: key)) { $0.compare(old, new) }
    }

    // Arrays

    private mutating func compareArrays(_ old: JSONNode, _ new: JSONNode) {
        var old = old.elements[...]
        var new = new.elements[...]
        var position = 0
        while let a = old.first, let b = new.first, a.hasSameSource(as: b) {
            old.removeFirst()
            new.removeFirst()
            position += 1
        }
        while let a = old.last, let b = new.last, a.hasSameSource(as: b) {
            old.removeLast()
            new.removeLast()
        }
        let keyed =
            old.isEmpty || new.isEmpty
            ? nil : KeyedElements.gapLengths(between: Array(old), and: Array(new))
        let gaps = keyed ?? SharedElements.gapLengths(between: Array(old), and: Array(new))
        for (a, b) in gaps {
            writeGap(old.prefix(a), new.prefix(b), &position, isKeyed: keyed != nil)
            old.removeFirst(a)
            new.removeFirst(b)
            // Two elements with the same key may have different content.
            if keyed != nil, let item = old.first, let changed = new.first {
                compareElement(at: position, item, changed)
            }
            old.removeFirst()
            new.removeFirst()
            position += 1
        }
        writeGap(old, new, &position, isKeyed: keyed != nil)
    }

    private mutating func compareElement(at position: Int, _ old: JSONNode, _ new: JSONNode) {
        if old.hasSameSource(as: new) { return }
        withExtendedPath(by: String(position)) { $0.compare(old, new) }
    }

    /// Writes the changes in a gap, which lies between two elements that both arrays have. Elements
    /// at the same position in the gap are pairs; surplus elements are removed or added. In arrays
    /// with keys, the new element of a pair replaces the old element. Otherwise the two elements
    /// are compared.
    private mutating func writeGap(
        _ old: ArraySlice<JSONNode>,
        _ new: ArraySlice<JSONNode>,
        _ position: inout Int,
        isKeyed: Bool
    ) {
        for (a, b) in zip(old, new) {
            if isKeyed {
                withExtendedPath(by: String(position)) { $0.writeOperation("replace", value: b) }
            } else {
                compareElement(at: position, a, b)
            }
            position += 1
        }
        for _ in 0..<max(old.count - new.count, 0) {
            withExtendedPath(by: String(position)) { $0.writeOperation("remove") }
        }
        for element in new.dropFirst(old.count) {
            withExtendedPath(by: String(position)) { $0.writeOperation("add", value: element) }
            position += 1
        }
    }

    // Operations

    private mutating func withExtendedPath(
        by token: String,
        _ body: (inout JSONPatchWriter) -> Void
    ) {
        let length = path.count
        path.append(UInt8(ascii: "/"))
        path += JSONPointer.escaped(token).utf8
        body(&self)
        path.removeSubrange(length...)
    }

    private mutating func writeOperation(_ name: StaticString, value: JSONNode? = nil) {
        if output.count > 1 { output.byte(UInt8(ascii: ",")) }
        output.raw("{\"op\":\"")
        output.raw(name)
        output.raw("\",\"path\":")
        path.withUnsafeBufferPointer { output.string($0) }
        if let value {
            output.raw(",\"value\":")
            output.raw(value.source)
        }
        output.byte(UInt8(ascii: "}"))
    }

    /// Returns the number of bytes of an operation that replaces the value at the present path.
    private func replaceOperationBytes(_ value: JSONNode) -> Int {
        let escapes = path.reduce(0) { $0 + JSONPatchWriter.bytesAddedByEscaping($1) }
        return #"{"op":"replace","path":"","value":}"#.utf8.count + path.count + escapes
            + value.byteRange.count
    }

    /// Returns the number of bytes that escaping a byte adds to a JSON string.
    private static func bytesAddedByEscaping(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 1
        case 0..<0x20: 5
        default: 0
        }
    }
}

extension JSONNode {
    /// Returns true if both values have the same JSON text, byte for byte.
    func hasSameSource(as other: JSONNode) -> Bool {
        let (a, b) = (source, other.source)
        guard a.count == b.count, let first = a.baseAddress, let second = b.baseAddress else {
            return false
        }
        return equalBytes(first, second, a.count)
    }

    fileprivate var firstChildIndex: Int { index + 1 }
    fileprivate var childrenEndIndex: Int { Int(tape.entries[index].nextOrHash) }
    fileprivate func node(at index: Int) -> JSONNode { JSONNode(tape: tape, index: index) }
    /// Returns the index of the entry that follows the value at `index` and all entries within it.
    fileprivate func indexAfter(_ index: Int) -> Int { Int(tape.entries[index].nextOrHash) }
}
