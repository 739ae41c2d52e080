/// The encoded rows of a table in one version: the members of an object, sorted by the bytes of
/// their names. Versions share the rows that did not change.
package protocol EncodedRows: Sendable {
    /// The number of rows.
    var count: Int { get }
    /// The number of bytes of all members, each with its name, a colon and a comma.
    var memberByteCount: Int { get }

    /// The JSON of a row; `nil` if there is no row of this name.
    subscript(name: String) -> Bytes? { get }

    /// Calls `body` with each row in order, until `body` returns `false`. Begins with the first row
    /// that is not before `name`.
    func forEachRow(from name: String?, _ body: (_ name: String, _ row: Bytes) -> Bool)

    /// Calls `body` with the name of each row that the versions do not share, in order, until
    /// `body` returns `false`. The bytes of the row may be equal in both versions.
    func forEachDifference(
        from old: any EncodedRows,
        _ body: (_ name: String, _ new: Bytes?, _ old: Bytes?) -> Bool
    )
}

extension EncodedRows {
    /// The number of bytes of the object with all rows.
    package var byteCount: Int { count == 0 ? 2 : memberByteCount + 1 }

    /// Calls `body` with each row that differs from another version, in order, until `body` returns
    /// `false`.
    func forEachChange(
        from old: any EncodedRows,
        _ body: (_ name: String, _ new: Bytes?, _ old: Bytes?) -> Bool
    ) {
        forEachDifference(from: old) { name, new, old in
            if let new, let old, new == old { return true }
            return body(name, new, old)
        }
    }

    /// Returns true if both versions have the same rows.
    func isSame(as other: any EncodedRows) -> Bool {
        guard count == other.count, memberByteCount == other.memberByteCount else { return false }
        var isSame = true
        forEachChange(from: other) { _, _, _ in
            isSame = false
            return false
        }
        return isSame
    }

    /// Writes the object with all rows.
    func write(to output: inout JSONOutput) {
        output.reserve(byteCount)
        output.byte(UInt8(ascii: "{"))
        var isFirst = true
        forEachRow(from: nil) { name, row in
            if !isFirst { output.byte(UInt8(ascii: ",")) }
            isFirst = false
            output.string(name)
            output.byte(UInt8(ascii: ":"))
            row.withUnsafeBytes { output.raw($0.bindMemory(to: UInt8.self)) }
            return true
        }
        output.byte(UInt8(ascii: "}"))
    }
}

/// A table that the encoder encodes row by row. Each row keeps its bytes, so the encoder encodes
/// the rows only once.
package protocol RowEncodable: CollectionEncodable {
    associatedtype Row: Encodable

    /// Returns the encoded rows. Calls `encode` for each row without bytes, and keeps the result.
    func encodedRows(
        _ encode: (_ name: String, _ row: Row) throws -> Bytes
    ) throws -> any EncodedRows

    /// Calls `body` with each row, in the order of the names' bytes.
    func forEachRow(_ body: (_ name: String, _ row: Row) throws -> Void) rethrows
}

extension RowEncodable {
    package static func encode<T>(_ value: T, to state: EncodingStatePointer) throws {
        guard let table = value as? Self else { return }
        let level = state.pointee.depth
        guard level < JSONLimits.depthCeiling else { throw EncodingError.tooDeep(value) }
        let offset = state.pointee.output.count
        let serial = state.pointee.open(UInt8(ascii: "{"), UInt8(ascii: "}"))
        guard state.pointee.keepsTablesApart else {
            try table.forEachRow { name, row in
                _ = state.pointee.beginWrite(UInt32(level + 1), serial)
                state.pointee.output.string(name)
                state.pointee.output.byte(UInt8(ascii: ":"))
                try state.encode(row)
            }
            return state.pointee.closeContainers(deeperThan: level)
        }
        // A row is a document of its own, so a table within a row stays in the row's bytes.
        state.pointee.keepsTablesApart = false
        defer { state.pointee.keepsTablesApart = true }
        let rows = try table.encodedRows { name, row in try encodeRow(name, row, to: state) }
        state.pointee.closeContainers(deeperThan: level)
        state.pointee.addTable(rows, at: offset)
    }

    /// Returns the JSON of a row. If the row can't be encoded, its name stays at the end of the
    /// output, for the pointer of the error.
    private static func encodeRow(
        _ name: String,
        _ row: Row,
        to state: EncodingStatePointer
    ) throws -> Bytes {
        let start = state.pointee.output.count
        state.pointee.output.string(name)
        state.pointee.output.byte(UInt8(ascii: ":"))
        let valueStart = state.pointee.output.count
        let hadMisplacedValue = state.pointee.hasMisplacedValue
        try state.encode(row)
        defer { state.pointee.output.truncate(to: start) }
        guard hadMisplacedValue || !state.pointee.hasMisplacedValue else {
            // The fast path cannot write this row. Only this row is encoded by the slow path.
            state.pointee.hasMisplacedValue = false
            return Bytes(try JSONEncoder().encode(row))
        }
        let written = state.pointee.output.bytes
        return Bytes(count: written.count - valueStart) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: written[valueStart...]))
        }
    }
}
