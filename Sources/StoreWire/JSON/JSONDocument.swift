import StoreTexts

/// A parsed and checked document, for code that reads members without `Codable`.
///
/// It owns a copy of the bytes, so its nodes stay valid as long as any of them is kept. One thread
/// at a time may use it.
package struct JSONDocument {
    let tape: JSONTape

    /// Reads a whole document.
    ///
    /// - Throws: ``JSONError`` with the offset of what is wrong.
    package init(parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONError) {
        tape = JSONTape()
        try tape.parse(bytes, limits: limits)
    }

    init(
        parsing bytes: UnsafeRawBufferPointer,
        onto tape: JSONTape,
        limits: JSONLimits
    ) throws(JSONError) {
        self.tape = tape
        try tape.parse(bytes, limits: limits)
    }

    /// Reads a whole document.
    package init(parsing bytes: [UInt8], limits: JSONLimits) throws(JSONError) {
        tape = JSONTape()
        let tape = tape
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in try tape.parse(buffer, limits: limits) }
        }.get()
    }

    /// How many bytes of memory it takes, at the most.
    package var memoryBytes: Int {
        tape.count + JSONTape.padding + 2 * tape.entryCount * MemoryLayout<JSONTape.Entry>.stride
    }

    /// The document's value.
    package var root: JSONNode { JSONNode(tape: tape, index: 0) }
}

/// One value in a ``JSONDocument``.
package struct JSONNode {
    let tape: JSONTape
    let index: Int

    /// What the value is.
    package var kind: JSONKind { tape.kind(at: index) }

    /// Where the value's own bytes are in the document.
    package var byteRange: Range<Int> {
        Int(tape.entries[index].start)..<Int(tape.entries[index].end)
    }

    /// The value's own bytes; valid while the document is kept.
    package var source: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: tape.source + byteRange.lowerBound, count: byteRange.count)
    }

    /// The value's own bytes as text, such as a number as it was written.
    package var sourceText: String { String(decoding: source, as: UTF8.self) }

    /// The text of a string; `nil` for anything else.
    package var stringValue: String? {
        kind == .string ? tape.string(at: index) : nil
    }

    /// The bytes of a string without escapes, valid while the document is kept; `nil` for anything
    /// else.
    package var plainText: UnsafeBufferPointer<UInt8>? {
        kind == .string && tape.entries[index].detail == 0 ? tape.rawString(at: index) : nil
    }

    /// The value of a number that is an integer in range; `nil` for anything else.
    package var intValue: Int? {
        guard kind == .number, tape.entries[index].detail == 1 else { return nil }
        return Int(sourceText)
    }

    /// How many elements or members there are; 0 for a scalar.
    package var count: Int {
        switch kind {
        case .array: Int(tape.entries[index].detail)
        case .object: members.reduce(0) { count, _ in count + 1 }
        default: 0
        }
    }

    /// The member of this name, where the value is an object that has it.
    package func member(named name: String) -> JSONNode? {
        var name = name
        return name.withUTF8 { place(ofMember: $0) }.map { JSONNode(tape: tape, index: $0) }
    }

    /// The same for a name that the program has; makes no string of it.
    package func member(_ name: StaticString) -> JSONNode? {
        let text = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return place(ofMember: text).map { JSONNode(tape: tape, index: $0) }
    }

    private func place(ofMember name: UnsafeBufferPointer<UInt8>) -> Int? {
        guard kind == .object else { return nil }
        var key = index + 1
        let end = Int(tape.entries[index].next)
        while key < end {
            if tape.key(at: key, equals: name) { return key + 1 }
            key = Int(tape.entries[key + 1].next)
        }
        return nil
    }

    /// The elements of an array in their order; empty for anything else.
    package var elements: [JSONNode] {
        guard kind == .array else { return [] }
        return children(step: 0).map { JSONNode(tape: tape, index: $0) }
    }

    /// The members of an object in their order; empty for anything else.
    package var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        return children(step: 1).map {
            (tape.string(at: $0 - 1), JSONNode(tape: tape, index: $0))
        }
    }

    private func children(step: Int) -> [Int] {
        var found: [Int] = []
        var child = index + 1
        let end = Int(tape.entries[index].next)
        while child < end {
            found.append(child + step)
            child = Int(tape.entries[child + step].next)
        }
        return found
    }

    /// Whether the value is an object that has a member of one of these names.
    package func hasMember(of names: [String]) -> Bool {
        members.contains { names.contains($0.name) }
    }

    /// The object's own bytes without the members of these names.
    package func source(without names: [String]) -> [UInt8] {
        var writer = JSONWriter(capacity: byteRange.count)
        writer.object { object in
            for (name, value) in members where !names.contains(exactly: name) {
                object.key(name)
                object.raw(value.source)
            }
        }
        return writer.array
    }
}
