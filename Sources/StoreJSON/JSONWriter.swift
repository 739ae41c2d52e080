/// A writer of JSON that no `Codable` type describes: problems, schemas, log lines.
///
/// The writer places commas and brackets. In an object, the caller has to write a key before each
/// value, with ``key(_:)`` or ``member(_:_:)``. The writer does not check that.
package struct JSONWriter: ~Copyable {
    private var output: JSONOutput

    package init(capacity: Int = 256) { output = JSONOutput(capacity: capacity) }

    /// Writes an object, as the member `name` if there is a name; `body` writes its members.
    package mutating func object(as name: String? = nil, _ body: (inout JSONWriter) -> Void) {
        if let name { key(name) }
        writeCommaIfNeeded()
        output.byte(UInt8(ascii: "{"))
        body(&self)
        output.byte(UInt8(ascii: "}"))
    }

    /// Writes an array, as the member `name` if there is a name; `body` writes its elements.
    package mutating func array(as name: String? = nil, _ body: (inout JSONWriter) -> Void) {
        if let name { key(name) }
        writeCommaIfNeeded()
        output.byte(UInt8(ascii: "["))
        body(&self)
        output.byte(UInt8(ascii: "]"))
    }

    /// Writes the key of a member. The caller has to write the member's value next.
    package mutating func key(_ name: String) {
        writeCommaIfNeeded()
        output.string(name)
        output.byte(UInt8(ascii: ":"))
    }

    package mutating func string(_ value: String) {
        writeCommaIfNeeded()
        output.string(value)
    }

    package mutating func integer(_ value: some FixedWidthInteger) {
        writeCommaIfNeeded()
        output.integer(value)
    }

    package mutating func bool(_ value: Bool) {
        writeCommaIfNeeded()
        if value { output.raw("true") } else { output.raw("false") }
    }

    package mutating func null() {
        writeCommaIfNeeded()
        output.raw("null")
    }

    /// Writes a value that is already encoded as JSON.
    package mutating func raw(_ json: UnsafeBufferPointer<UInt8>) {
        writeCommaIfNeeded()
        output.raw(json)
    }

    /// Writes a value that is already encoded as JSON.
    package mutating func raw(_ json: [UInt8]) { json.withUnsafeBufferPointer { raw($0) } }

    /// Writes a value that is already encoded as JSON.
    package mutating func raw(_ json: Bytes) {
        json.withUnsafeBytes { bytes in bytes.withMemoryRebound(to: UInt8.self) { raw($0) } }
    }

    package var bytes: Bytes { output.sharedBytes }

    package var byteArray: [UInt8] { output.array }

    /// Writes a comma if the next value or key follows another value.
    private mutating func writeCommaIfNeeded() {
        switch output.lastByte {
        case 0, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: output.byte(UInt8(ascii: ","))
        }
    }
}

extension JSONWriter {
    package mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        integer(value)
    }

    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member whose value is an array of objects; `body` writes the members of each
    /// object.
    package mutating func objectArray<Item>(
        _ name: String,
        of items: some Sequence<Item>,
        _ body: (inout JSONWriter, Item) -> Void
    ) {
        array(as: name) { json in
            for item in items { json.object { body(&$0, item) } }
        }
    }

    package mutating func member(_ name: String, _ values: [String]) {
        array(as: name) { for value in values { $0.string(value) } }
    }
}
