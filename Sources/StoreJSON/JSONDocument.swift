import StoreTexts

/// A parsed and validated JSON document, for code that reads values without `Codable`.
///
/// The document owns a copy of the bytes. Each node keeps the bytes alive, so a node stays valid
/// after the document ends. Only one thread at a time may use a document and its nodes.
package struct JSONDocument {
    let tape: JSONTape

    /// Parses a whole document.
    ///
    /// - Throws: ``JSONError`` with the offset of the error.
    package init(parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONError) {
        try self.init(parsing: bytes, onto: JSONTape(), limits: limits)
    }

    fileprivate init(
        parsing bytes: UnsafeRawBufferPointer,
        onto tape: JSONTape,
        limits: JSONLimits
    ) throws(JSONError) {
        self.tape = tape
        try tape.parse(bytes, limits: limits)
    }

    /// Parses a whole document.
    package init(parsing bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
        self = try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            try JSONDocument(parsing: UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }

    /// An estimate of the document's memory in bytes. The estimate assumes a capacity for twice the
    /// number of entries. Only small documents have a greater capacity.
    package var memoryBytes: Int {
        tape.sourceByteCount + JSONTape.paddingByteCount + 2 * tape.entryCount
            * MemoryLayout<JSONTape.Entry>.stride
    }

    package var root: JSONNode { JSONNode(tape: tape, index: 0) }
}

/// A value in a ``JSONDocument``.
package struct JSONNode {
    let tape: JSONTape
    let index: Int

    package var kind: JSONKind { tape.kind(at: index) }

    /// The range of the value's bytes in the document.
    package var byteRange: Range<Int> {
        Int(tape.entries[index].start)..<Int(tape.entries[index].end)
    }

    /// The value's bytes in the document. The buffer is valid while the document exists.
    package var source: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: tape.source + byteRange.lowerBound, count: byteRange.count)
    }

    /// The value's bytes as text, such as the literal of a number.
    package var sourceText: String { String(decoding: source, as: UTF8.self) }

    /// The text of a string; `nil` for any other kind.
    package var stringValue: String? { kind == .string ? tape.string(at: index) : nil }

    /// The bytes of a string that has no escapes; the buffer is valid while the document exists.
    /// `nil` for a string with escapes and for any other kind.
    package var bytesIfWithoutEscapes: UnsafeBufferPointer<UInt8>? {
        kind == .string && tape.entries[index].detail == 0 ? tape.rawString(at: index) : nil
    }

    /// The value of an integer literal that fits into an `Int`; `nil` for any other value.
    package var intValue: Int? {
        guard kind == .number, tape.entries[index].detail == 1 else { return nil }
        return Int(sourceText)
    }

    /// The number of elements or members; 0 for a scalar.
    package var count: Int {
        switch kind {
        case .array: Int(tape.entries[index].detail)
        case .object: members.count
        default: 0
        }
    }

    /// Returns the value at an index of the same document: at the ``JSONMemberWalk/valueIndex`` of
    /// a walk.
    package func nodeOfSameDocument(at index: Int) -> JSONNode {
        JSONNode(tape: tape, index: index)
    }

    /// Returns the value of the member with this name; `nil` if this value is not an object or has
    /// no member of the name.
    package func member(named name: String) -> JSONNode? {
        var name = name
        return name.withUTF8 { valueIndex(ofMember: $0) }.map { JSONNode(tape: tape, index: $0) }
    }

    /// Returns the value of the member with this constant name, without making a string of the
    /// name.
    package func member(_ name: StaticString) -> JSONNode? {
        let text = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return valueIndex(ofMember: text).map { JSONNode(tape: tape, index: $0) }
    }

    private func valueIndex(ofMember name: UnsafeBufferPointer<UInt8>) -> Int? {
        guard kind == .object else { return nil }
        var key = index + 1
        let end = Int(tape.entries[index].nextOrHash)
        while key < end {
            if tape.isKey(at: key, equalTo: name) { return key + 1 }
            key = Int(tape.entries[key + 1].nextOrHash)
        }
        return nil
    }

    /// The elements of an array in their order; empty for any other kind.
    package var elements: [JSONNode] {
        var elements: [JSONNode] = []
        forEachElement { elements.append($0) }
        return elements
    }

    /// Calls `body` with each element of an array in order; does nothing for any other kind.
    package func forEachElement(_ body: (JSONNode) -> Void) {
        guard kind == .array else { return }
        var child = index + 1
        let end = Int(tape.entries[index].nextOrHash)
        while child < end {
            body(JSONNode(tape: tape, index: child))
            child = Int(tape.entries[child].nextOrHash)
        }
    }

    /// The members of an object in their order; empty for any other kind.
    package var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        var members: [(name: String, value: JSONNode)] = []
        var key = index + 1
        let end = Int(tape.entries[index].nextOrHash)
        while key < end {
            members.append((tape.string(at: key), JSONNode(tape: tape, index: key + 1)))
            key = Int(tape.entries[key + 1].nextOrHash)
        }
        return members
    }

    /// Returns true if the value is an object with a member of one of these names.
    package func hasMember(namedAnyOf names: [String]) -> Bool {
        members.contains { names.contains($0.name) }
    }

    /// Returns the JSON text of the object, leaving out the members with these names.
    package func json(withoutMembers names: [String]) -> [UInt8] {
        var writer = JSONWriter(capacity: byteRange.count)
        writer.object { object in
            for (name, value) in members where !names.contains(exactly: name) {
                object.key(name)
                object.raw(value.source)
            }
        }
        return writer.byteArray
    }

    /// Returns the element at a position of an array, without making a list of all elements.
    /// Returns `nil` for a position outside the array and for any other kind of value.
    package func element(at position: Int) -> JSONNode? {
        guard kind == .array, position >= 0, position < count else { return nil }
        var child = index + 1
        for _ in 0..<position { child = Int(tape.entries[child].nextOrHash) }
        return JSONNode(tape: tape, index: child)
    }
}

/// A walk over the members of an object in their order. The walk makes no strings of the members'
/// names.
package struct JSONMemberWalk {
    private let tape: JSONTape
    private var keyIndex: Int
    private var nextKeyIndex: Int
    private let endIndex: Int

    /// Makes a walk whose first ``advance()`` moves to the first member. For a value that is no
    /// object, the walk has no members.
    package init(over node: JSONNode) {
        tape = node.tape
        keyIndex = node.index
        nextKeyIndex = node.index + 1
        endIndex = node.kind == .object ? Int(tape.entries[node.index].nextOrHash) : nextKeyIndex
    }

    /// Moves to the next member. Returns false if there is no further member.
    package mutating func advance() -> Bool {
        guard nextKeyIndex < endIndex else { return false }
        keyIndex = nextKeyIndex
        nextKeyIndex = Int(tape.entries[keyIndex + 1].nextOrHash)
        return true
    }

    /// Returns true if the current member has this name.
    package func isNamed(_ name: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return tape.isKey(at: keyIndex, equalTo: text)
    }

    /// The index of the current member's value in the document, for
    /// ``JSONNode/nodeOfSameDocument(at:)``.
    package var valueIndex: Int { keyIndex + 1 }
}

/// Memory that one document after another uses. A document that fits into the memory allocates
/// nothing.
///
/// Only one thread at a time may use a workspace. If a document still exists at the next call of
/// ``parse(_:limits:)``, the document keeps the memory, and the workspace allocates new memory.
package final class JSONWorkspace {
    /// The maximum number of bytes of each buffer that the workspace keeps for the next document.
    private static let keptBufferBytesMax = 64 << 10

    // Safety: only one thread at a time uses a workspace, so no two accesses overlap.
    @exclusivity(unchecked) private var tape = JSONTape()

    package init() {}

    /// Parses a whole document.
    ///
    /// - Throws: ``JSONError`` with the offset of the error.
    package func parse(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits
    ) throws(JSONError) -> JSONDocument {
        if isKnownUniquelyReferenced(&tape) {
            tape.replaceBuffers(largerThan: Self.keptBufferBytesMax)
        } else {
            tape = JSONTape()
        }
        return try JSONDocument(parsing: bytes, onto: tape, limits: limits)
    }
}

// Documents that this program has written

extension Bytes {
    /// Parses a document that this program has written, without the limits that apply to documents
    /// of clients.
    ///
    /// - Throws: ``JSONError`` with the offset of the error, if the bytes are not valid JSON.
    package func parseDocument() throws(JSONError) -> JSONDocument {
        try withUnsafeBytes { bytes throws(JSONError) in
            try JSONDocument(parsing: bytes, limits: .unbounded)
        }
    }

    package convenience init(_ source: UnsafeBufferPointer<UInt8>) {
        self.init(count: source.count) { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
}

package enum JSONKind: UInt8, Sendable {
    case object, array, string, number, `true`, `false`, null
}
