package import StoreCore
package import StoreJSON

// A table is encoded row by row.

extension Table: CollectionEncodable, RowEncodable {
    package func encodedRows(
        _ encode: (_ name: String, _ row: Row) throws -> Bytes
    ) throws -> any EncodedRows {
        let rows = sharedRows
        let bytes = try rows.sum { key, shared in
            let bytes = try shared.encodedBytes ?? Self.firstEncoding(of: shared, key, encode)
            return JSONText.quotedByteCount(of: key) + 2 + bytes.count
        }
        return PublishedRows(rows: rows, memberByteCount: bytes)
    }

    /// Encodes a row, and keeps the encoding. This code has a function of its own, because a
    /// variable of the type `Row?` costs a look-up of metadata. So rows with an encoding avoid this
    /// cost.
    @inline(never)
    private static func firstEncoding(
        of shared: TableRow,
        _ key: String,
        _ encode: (_ name: String, _ row: Row) throws -> Bytes
    ) rethrows -> Bytes {
        guard let row = row(of: shared) else { return SliceLayout.absentSliceJSON }
        let bytes = try encode(key, row)
        shared.cache(bytes)
        return bytes
    }

    package func forEachRow(_ body: (_ name: String, _ row: Row) throws -> Void) rethrows {
        for (id, row) in self { try body(id.keyText, row) }
    }
}

/// The encoded rows of a table in one version.
struct PublishedRows: EncodedRows {
    let rows: SortedTable<TableRow>
    let memberByteCount: Int

    var count: Int { rows.count }

    subscript(name: String) -> Bytes? { rows[name]?.encodedBytes }

    func forEachRow(from name: String?, _ body: (_ name: String, _ row: Bytes) -> Bool) {
        var members = rows.makeIterator(from: name)
        while let (key, row) = members.next(), let bytes = row.encodedBytes, body(key, bytes) {}
    }

    func forEachDifference(
        from old: any EncodedRows,
        _ body: (_ name: String, _ new: Bytes?, _ old: Bytes?) -> Bool
    ) {
        // All tables have rows of this type.
        let old = (old as? PublishedRows)?.rows ?? SortedTable()
        rows.forEachDifference(from: old) { body($0, $1?.encodedBytes, $2?.encodedBytes) }
    }
}

extension TableRow {
    /// The JSON of the row; `nil` before its first encoding.
    fileprivate var encodedBytes: Bytes? {
        guard let encoding else { return nil }
        // Safety: ``Table/encodedRows(_:)`` stores only this type.
        return unsafeDowncast(encoding, to: Bytes.self)
    }
}
