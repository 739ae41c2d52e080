import StoreTexts

/// A writer of patches. The writer compares an old and a new value, and writes the operations of
/// the patch.
struct JSONPatchWriter: ~Copyable {
    private var output: JSONOutput
    /// The pointer to the two values that are compared now, in UTF-8, without the escapes of a JSON
    /// string.
    private var path: [UInt8] = []
    /// The documents with tables that contain the present values; `nil` for values without tables.
    private var oldDocument: OutlinedJSON?
    private var newDocument: OutlinedJSON?

    init() {
        output = JSONOutput(capacity: 1_024)
        output.byte(UInt8(ascii: "["))
    }

    consuming func finish() -> Bytes {
        output.byte(UInt8(ascii: "]"))
        return output.sharedBytes
    }

    /// Compares the old and the new value at `place` in the document, and writes the operations
    /// that change one into the other. Reads only the rows of tables that differ.
    ///
    /// - Throws: ``JSONError`` if a value is not valid JSON.
    mutating func compare(_ old: Bytes, _ new: Bytes, at place: JSONPointer) throws(JSONError) {
        path = Array(place.description.utf8)
        try compare(old, new)
    }

    /// Compares two values at the present path.
    private mutating func compare(_ old: Bytes, _ new: Bytes) throws(JSONError) {
        let before = try (old.outlined?.outline ?? old).parseDocument()
        let after = try (new.outlined?.outline ?? new).parseDocument()
        let documents = (oldDocument, newDocument)
        (oldDocument, newDocument) = (old.outlined, new.outlined)
        withExtendedLifetime((before.tape, after.tape)) { compare(before.root, after.root) }
        (oldDocument, newDocument) = documents
    }

    private mutating func compare(_ old: JSONNode, _ new: JSONNode) {
        if isSame(old, new) { return }
        let start = output.count
        switch (old.kind, new.kind) {
        case (.object, .object): compareObjectsOrTables(old, new)
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

    // Tables

    private func oldTables(in node: JSONNode) -> ArraySlice<OutlinedJSON.Table> {
        oldDocument?.tables(in: node.byteRange) ?? []
    }

    private func newTables(in node: JSONNode) -> ArraySlice<OutlinedJSON.Table> {
        newDocument?.tables(in: node.byteRange) ?? []
    }

    /// Returns true if both values have the same JSON text.
    private func isSame(_ old: JSONNode, _ new: JSONNode) -> Bool {
        guard old.hasSameSource(as: new) else { return false }
        if oldDocument == nil, newDocument == nil { return true }
        let (before, after) = (oldTables(in: old), newTables(in: new))
        guard before.count == after.count else { return false }
        return zip(before, after).allSatisfy { before, after in
            before.offset - old.byteRange.lowerBound == after.offset - new.byteRange.lowerBound
                && before.rows.isSame(as: after.rows)
        }
    }

    private mutating func compareObjectsOrTables(_ old: JSONNode, _ new: JSONNode) {
        let before = oldDocument?.rows(at: old.byteRange.lowerBound)
        let after = newDocument?.rows(at: new.byteRange.lowerBound)
        switch (before, after) {
        case (nil, nil): compareObjects(old, new)
        case (let before?, let after?): compareTables(before, after)
        default: compareJoined(old, new)
        }
    }

    /// Joins the tables of both values with the rest of their texts, and compares the joined
    /// values.
    private mutating func compareJoined(_ old: JSONNode, _ new: JSONNode) {
        let before = Self.joined(old, in: oldDocument)
        let after = Self.joined(new, in: newDocument)
        let documents = (oldDocument, newDocument)
        (oldDocument, newDocument) = (nil, nil)
        // The bytes are valid JSON, because they come from parsed documents.
        if let old = try? before.parseDocument(), let new = try? after.parseDocument() {
            withExtendedLifetime((old.tape, new.tape)) {
                if old.root.kind == .array {
                    compareArrays(old.root, new.root)
                } else {
                    compareObjects(old.root, new.root)
                }
            }
        }
        (oldDocument, newDocument) = documents
    }

    private static func joined(_ node: JSONNode, in document: OutlinedJSON?) -> Bytes {
        var output = JSONOutput(capacity: node.byteRange.count)
        if let document {
            document.write(node.source, at: node.byteRange.lowerBound, to: &output)
        } else {
            output.raw(node.source)
        }
        return output.sharedBytes
    }

    /// Compares two versions of a table. The operations have the same order as the operations of
    /// two objects: changes before the first removed or added row, removals, other changes,
    /// additions.
    private mutating func compareTables(_ old: any EncodedRows, _ new: any EncodedRows) {
        typealias Row = (name: String, new: Bytes, old: Bytes)
        var changesBefore: [Row] = []
        var changesAfter: [Row] = []
        var removed: [String] = []
        var added: [(name: String, row: Bytes)] = []
        new.forEachChange(from: old) { name, new, old in
            switch (new, old) {
            case (let new?, let old?):
                if removed.isEmpty, added.isEmpty {
                    changesBefore.append((name, new, old))
                } else {
                    changesAfter.append((name, new, old))
                }
            case (let new?, nil): added.append((name, new))
            default: removed.append(name)
            }
            return true
        }
        for row in changesBefore { compareRow(row.name, row.old, row.new) }
        for name in removed { withExtendedPath(by: name) { $0.writeOperation("remove") } }
        for row in changesAfter { compareRow(row.name, row.old, row.new) }
        for (name, row) in added {
            withExtendedPath(by: name) { writer in
                row.withUnsafeBytes {
                    writer.writeOperation("add", json: $0.bindMemory(to: UInt8.self))
                }
            }
        }
    }

    private mutating func compareRow(_ name: String, _ old: Bytes, _ new: Bytes) {
        // The encoder has written both rows, so they are valid JSON.
        withExtendedPath(by: name) { try? $0.compare(old, new) }
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

        var unmatchedOldValues: [ExactText: Int] = [:]
        var removable: [Int] = []
        while oldKey < old.childrenEndIndex {
            unmatchedOldValues[ExactText(old.tape.string(at: oldKey))] = oldKey + 1
            removable.append(oldKey)
            oldKey = old.indexAfter(oldKey + 1)
        }
        var added: [Int] = []
        var commonMembers: [(old: Int, newKey: Int)] = []
        while newKey < new.childrenEndIndex {
            if let value = unmatchedOldValues.removeValue(
                forKey: ExactText(new.tape.string(at: newKey))
            ) {
                commonMembers.append((value, newKey))
            } else {
                added.append(newKey)
            }
            newKey = new.indexAfter(newKey + 1)
        }
        for key in removable {
            let name = old.tape.string(at: key)
            guard unmatchedOldValues[ExactText(name)] != nil else { continue }
            withExtendedPath(by: name) { $0.writeOperation("remove") }
        }
        for (value, key) in commonMembers {
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
        if isSame(old, new) { return }
        withExtendedPath(by: tape.string(at: key)) { $0.compare(old, new) }
    }

    // Arrays

    private mutating func compareArrays(_ oldArray: JSONNode, _ newArray: JSONNode) {
        var old = oldArray.elements[...]
        var new = newArray.elements[...]
        var position = 0
        while let a = old.first, let b = new.first, isSame(a, b) {
            old.removeFirst()
            new.removeFirst()
            position += 1
        }
        while let a = old.last, let b = new.last, isSame(a, b) {
            old.removeLast()
            new.removeLast()
        }
        let keyed =
            old.isEmpty || new.isEmpty
            ? nil : KeyedElements.gapLengths(between: Array(old), and: Array(new))
        if keyed == nil, !oldTables(in: oldArray).isEmpty || !newTables(in: newArray).isEmpty {
            // Elements without keys are matched by their texts, which have to contain the rows.
            return compareJoined(oldArray, newArray)
        }
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
        if isSame(old, new) { return }
        withExtendedPath(by: String(position)) { $0.compare(old, new) }
    }

    /// Writes the changes in a gap between two elements that both arrays have. Elements at the same
    /// position in the gap are pairs; surplus elements are removed or added. In arrays with keys,
    /// the new element of a pair replaces the old element. Otherwise the two elements are compared.
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
        guard let value, !newTables(in: value).isEmpty else {
            return writeOperation(name, json: value?.source)
        }
        let joined = Self.joined(value, in: newDocument)
        joined.withUnsafeBytes { writeOperation(name, json: $0.bindMemory(to: UInt8.self)) }
    }

    /// Writes an operation, with the JSON of its value if there is one.
    private mutating func writeOperation(_ name: StaticString, json: UnsafeBufferPointer<UInt8>?) {
        if output.count > 1 { output.byte(UInt8(ascii: ",")) }
        output.raw("{\"op\":\"")
        output.raw(name)
        output.raw("\",\"path\":")
        path.withUnsafeBufferPointer { output.string($0) }
        if let json {
            output.raw(",\"value\":")
            output.raw(json)
        }
        output.byte(UInt8(ascii: "}"))
    }

    /// Returns the number of bytes of an operation that replaces the value at the present path.
    private func replaceOperationBytes(_ value: JSONNode) -> Int {
        let escapes = path.reduce(0) { $0 + JSONText.bytesAddedByEscaping($1) }
        let rows = newTables(in: value).reduce(0) { $0 + $1.rows.byteCount - 2 }
        return #"{"op":"replace","path":"","value":}"#.utf8.count + path.count + escapes
            + value.byteRange.count + rows
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
