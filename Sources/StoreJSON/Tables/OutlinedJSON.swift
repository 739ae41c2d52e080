import StorePlatform
import Synchronization

/// A JSON document whose tables are apart from the rest, so that versions of the document share the
/// rows of the tables.
///
/// The document is joined when a reader needs contiguous memory. A comparison, a patch and a search
/// for a row read the rows themselves.
package final class OutlinedJSON: Sendable {
    /// A table of the document.
    package struct Table: Sendable {
        /// The offset of the table's empty object in the outline.
        package let offset: Int
        package let rows: any EncodedRows
    }

    /// The document with an empty object in the place of each table.
    package let outline: Bytes
    /// The tables, in the order of the document.
    package let tables: [Table]
    /// The number of bytes of the whole document.
    let count: Int
    private let joinedDocument = Locked<Bytes?>(nil)
    private let wasJoined = Atomic(false)

    init(_ outline: Bytes, _ tables: [Table]) {
        self.outline = outline
        self.tables = tables
        count = tables.reduce(outline.count) { $0 + $1.rows.byteCount - 2 }
    }

    /// True if ``joined`` exists already.
    package var isJoined: Bool { wasJoined.load(ordering: .relaxed) }

    /// The number of rows of all tables.
    package var rowCount: Int { tables.reduce(0) { $0 + $1.rows.count } }

    /// The whole document. The first caller makes the document, and other callers wait for the
    /// result.
    package var joined: Bytes {
        joinedDocument.withLock { joined in
            if let joined { return joined }
            var output = JSONOutput(capacity: count)
            outline.withUnsafeBytes { outline in
                write(outline.bindMemory(to: UInt8.self), at: 0, to: &output)
            }
            let made = output.sharedBytes
            joined = made
            wasJoined.store(true, ordering: .relaxed)
            return made
        }
    }

    /// Writes a part of the outline with the rows of its tables. `start` is the offset of the part.
    func write(_ part: UnsafeBufferPointer<UInt8>, at start: Int, to output: inout JSONOutput) {
        var written = start
        for table in tables(in: start..<(start + part.count)) {
            output.raw(
                UnsafeBufferPointer(rebasing: part[(written - start)..<(table.offset - start)])
            )
            table.rows.write(to: &output)
            written = table.offset + 2
        }
        output.raw(UnsafeBufferPointer(rebasing: part[(written - start)...]))
    }

    /// Returns the tables within a part of the outline.
    func tables(in range: Range<Int>) -> ArraySlice<Table> {
        let first = tables.partitionPoint { $0.offset < range.lowerBound }
        let end = tables.partitionPoint { $0.offset < range.upperBound }
        return tables[first..<end]
    }

    /// Returns the table at an offset of the outline; `nil` if there is none.
    func rows(at offset: Int) -> (any EncodedRows)? {
        let index = tables.partitionPoint { $0.offset < offset }
        return index < tables.count && tables[index].offset == offset ? tables[index].rows : nil
    }

    /// Returns true if both documents have the same bytes. Does not read the rows that both
    /// documents share. Returns `nil` if the tables have different positions.
    func isSame(as other: OutlinedJSON) -> Bool? {
        guard tables.count == other.tables.count else { return nil }
        guard outline == other.outline else { return false }
        for (mine, theirs) in zip(tables, other.tables) {
            guard mine.offset == theirs.offset else { return nil }
            guard mine.rows.isSame(as: theirs.rows) else { return false }
        }
        return true
    }

    /// Returns the number of bytes that an earlier document does not share.
    func byteCount(notSharedWith other: OutlinedJSON) -> Int {
        guard tables.count == other.tables.count else { return count }
        var bytes = outline === other.outline ? 0 : outline.count
        for (mine, theirs) in zip(tables, other.tables) {
            mine.rows.forEachDifference(from: theirs.rows) { _, new, _ in
                bytes += new?.count ?? 0
                return true
            }
        }
        return bytes
    }
}

extension [OutlinedJSON.Table] {
    /// Returns the number of elements for which `isBefore` returns true, by a binary search. These
    /// elements must precede all other elements.
    fileprivate func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Bytes {
    private static let emptyObject = Bytes(utf8: "{}")

    /// Makes the bytes of an object with these rows.
    package convenience init(table rows: any EncodedRows) {
        self.init(OutlinedJSON(Self.emptyObject, [OutlinedJSON.Table(offset: 0, rows: rows)]))
    }

    /// The rows, if the document is a single table; otherwise `nil`.
    package var rows: (any EncodedRows)? {
        guard let outlined, outlined.outline.count == 2 else { return nil }
        return outlined.rows(at: 0)
    }

    /// Returns the number of bytes that this object does not share with `old`. If both objects are
    /// versions of a document with tables, the rows that both versions share do not count.
    package func byteCount(notSharedWith old: Bytes?) -> Int {
        if self === old { return 0 }
        guard let outlined, let old = old?.outlined else { return count }
        return outlined.byteCount(notSharedWith: old)
    }

    /// True if the bytes are contiguous, or few rows have to be joined first.
    package var isCheapToJoin: Bool {
        guard let outlined, !outlined.isJoined else { return true }
        return outlined.rowCount <= Self.quickRowsMax && count <= Self.quickBytesMax
    }

    /// The maximum numbers of rows and of bytes that are joined on the event loop.
    private static var quickRowsMax: Int { 64 }
    private static var quickBytesMax: Int { 256 << 10 }

    /// The same bytes, in contiguous memory if they are a document with tables.
    package var joined: Bytes { outlined?.joined ?? self }
}

// Parts of a document

/// The location of a part of a document with tables.
package enum OutlinedPart {
    case nowhere
    /// The part is a row, or is inside a row. The pointer leads from the row to the part.
    case inRow(Bytes, JSONPointer)
    /// The part is outside the rows. If the part has tables, its bytes are a document with tables.
    case outsideRows(Bytes)
}

extension OutlinedJSON {
    /// Returns the part at a pointer. `outline` is the parsed ``outline``.
    ///
    /// Cost: a search in the outline, and log2(count) steps for a row.
    package func part(at pointer: JSONPointer, in outline: JSONDocument) -> OutlinedPart {
        var node = outline.root
        for (index, token) in pointer.tokens.enumerated() {
            if let rows = rows(at: node.byteRange.lowerBound) {
                guard let row = rows[token] else { return .nowhere }
                return .inRow(row, JSONPointer(tokens: Array(pointer.tokens[(index + 1)...])))
            }
            guard let next = JSONPointer(tokens: [token]).find(from: node) else { return .nowhere }
            node = next
        }
        return .outsideRows(part(of: node))
    }

    private func part(of node: JSONNode) -> Bytes {
        let source = Bytes(node.source)
        let start = node.byteRange.lowerBound
        let tables = tables(in: node.byteRange).map {
            Table(offset: $0.offset - start, rows: $0.rows)
        }
        return tables.isEmpty ? source : Bytes(OutlinedJSON(source, tables))
    }
}
