import StoreTexts
import Synchronization

/// A collection of rows under keys, for a field of a module's state that may have many thousands of
/// elements.
///
/// ```swift
/// struct State: ModuleState {
///     var cards: Table<String, Card> = [:]
/// }
///
/// state.cards[id]?.title = title
/// ```
///
/// A change of a row costs log2(count) steps in the reducer, and the server encodes, compares and
/// sends only this row. With a dictionary, all elements would be encoded again. On the wire, a
/// table is an object with the rows under their keys, sorted by the bytes of the keys. A dictionary
/// with texts as keys has the same JSON. A row that contains a table is encoded as a whole.
///
/// A table is a value. A copy shares all rows with the original, and costs nothing. Any thread may
/// read a copy.
public struct Table<ID: TableKey, Row: Codable & Equatable & Sendable>: Sendable {
    fileprivate var storedRows = SortedTable<StoredRow>()

    /// A row with its key, which versions of the table share.
    fileprivate final class StoredRow: TableRow, @unchecked Sendable {
        // Safety: the members never change.
        let id: ID
        let row: Row

        init(_ id: ID, _ row: Row) {
            self.id = id
            self.row = row
        }
    }

    /// Makes an empty table.
    public init() {}

    /// Makes a table of pairs of keys and rows. The last row of a key replaces the earlier rows.
    public init(_ pairs: some Sequence<(ID, Row)>) {
        self.init(pairs) { _, last in last }
    }

    /// Makes a table of pairs of keys and rows. `combine` makes a single row from two rows of one
    /// key.
    ///
    /// - Throws: any error of `combine`.
    public init(
        _ pairs: some Sequence<(ID, Row)>,
        uniquingKeysWith combine: (Row, Row) throws -> Row
    ) rethrows {
        var rows: [ExactText: StoredRow] = [:]
        for (id, row) in pairs {
            let key = ExactText(id.keyText)
            let merged = try rows[key].map { try combine($0.row, row) } ?? row
            rows[key] = StoredRow(id, merged)
        }
        self.init(rows)
    }

    /// Makes a table of rows, each under the key that `id` returns. The last row of a key replaces
    /// the earlier rows.
    ///
    /// - Throws: any error of `id`.
    public init(_ rows: some Sequence<Row>, by id: (Row) throws -> ID) rethrows {
        self.init(try rows.map { (try id($0), $0) })
    }

    private init(_ rows: [ExactText: StoredRow]) {
        storedRows = SortedTable(
            sorted: rows.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
        )
    }

    private init(_ stored: SortedTable<StoredRow>) { self.storedRows = stored }
}

extension Table: ExpressibleByDictionaryLiteral {
    /// Makes a table of the pairs of a literal. The last row of a key replaces the earlier rows.
    public init(dictionaryLiteral elements: (ID, Row)...) { self.init(elements) }
}

// Reading

extension Table: Sequence {
    /// An iterator over the rows of a table, in the order of the keys' bytes.
    public struct Iterator: IteratorProtocol {
        fileprivate var members: SortedTable<StoredRow>.Iterator
        fileprivate var endKey: String?

        /// Returns the next key with its row; `nil` after the last row.
        public mutating func next() -> (key: ID, value: Row)? {
            guard let (key, stored) = members.next() else { return nil }
            if let endKey, key.byteOrder(comparedTo: endKey) >= 0 { return nil }
            return (stored.id, stored.row)
        }
    }

    /// The rows of a range of keys, in the order of the keys.
    public struct Rows: Sequence, Sendable {
        fileprivate let table: Table
        fileprivate let firstKey: String?
        fileprivate let endKey: String?

        /// Returns an iterator that begins with the first row of the range.
        public func makeIterator() -> Iterator {
            Iterator(members: table.storedRows.makeIterator(from: firstKey), endKey: endKey)
        }
    }

    /// Returns an iterator over all rows, in the order of the keys' bytes.
    public func makeIterator() -> Iterator { Iterator(members: storedRows.makeIterator()) }

    /// The number of rows.
    public var underestimatedCount: Int { count }

    /// The number of rows.
    public var count: Int { storedRows.count }
    /// True if there are no rows.
    public var isEmpty: Bool { storedRows.count == 0 }
    /// The row with the smallest key, with its key; `nil` if there are no rows.
    public var first: (key: ID, value: Row)? {
        storedRows.first.map { ($0.value.id, $0.value.row) }
    }
    /// The row with the greatest key, with its key; `nil` if there are no rows.
    public var last: (key: ID, value: Row)? { storedRows.last.map { ($0.value.id, $0.value.row) } }
    /// The keys, in the order of their bytes.
    public var keys: some Sequence<ID> { lazy.map(\.key) }
    /// The rows, in the order of their keys.
    public var values: some Sequence<Row> { lazy.map(\.value) }

    /// Returns true if there is a row under this key.
    public func contains(_ id: ID) -> Bool { storedRows[id.keyText] != nil }

    /// Returns the rows from the key `first` on, up to the key `end`, which is not included. `nil`
    /// stands for the beginning or the end of the table.
    ///
    /// Cost: log2(count) steps, and a step for each row of the range that is read.
    public func rows(from first: ID? = nil, upTo end: ID? = nil) -> Rows {
        Rows(table: self, firstKey: first?.keyText, endKey: end?.keyText)
    }

    /// Returns a table with the rows for which `isIncluded` returns true.
    ///
    /// - Throws: any error of `isIncluded`.
    public func filter(_ isIncluded: ((key: ID, value: Row)) throws -> Bool) rethrows -> Table {
        let members = try storedRows.filter { try isIncluded(($0.value.id, $0.value.row)) }
        return Table(SortedTable(sorted: members))
    }

    /// Returns a table with the same keys, and the rows that `transform` makes.
    ///
    /// - Throws: any error of `transform`.
    public func mapValues<New: Codable & Equatable & Sendable>(
        _ transform: (Row) throws -> New
    ) rethrows -> Table<ID, New> {
        Table<ID, New>(try map { ($0.key, try transform($0.value)) })
    }
}

// Changing

extension Table {
    /// The row under a key; the assignment of `nil` removes the row.
    ///
    /// Cost: log2(count) steps.
    public subscript(id: ID) -> Row? {
        get { storedRows[id.keyText]?.row }
        set { storedRows[id.keyText] = newValue.map { StoredRow(id, $0) } }
    }

    /// The row under a key, or the default row if there is none.
    public subscript(id: ID, default row: @autoclosure () -> Row) -> Row {
        get { self[id] ?? row() }
        set { self[id] = newValue }
    }

    /// Sets the row under a key, and returns the row before; `nil` if there was none.
    @discardableResult
    public mutating func updateValue(_ row: Row, forKey id: ID) -> Row? {
        defer { self[id] = row }
        return self[id]
    }

    /// Removes the row under a key, and returns the row; `nil` if there was none.
    @discardableResult
    public mutating func removeValue(forKey id: ID) -> Row? {
        defer { self[id] = nil }
        return self[id]
    }

    /// Removes all rows.
    public mutating func removeAll() { storedRows = SortedTable() }

    /// Removes the rows for which `isRemoved` returns true.
    ///
    /// - Throws: any error of `isRemoved`. No row is then removed.
    public mutating func removeAll(
        where isRemoved: ((key: ID, value: Row)) throws -> Bool
    ) rethrows {
        for (key, _) in try storedRows.filter({ try isRemoved(($0.value.id, $0.value.row)) }) {
            storedRows[key] = nil
        }
    }
}

extension Table: Equatable {
    /// Returns true if both tables have equal rows under the same keys. Rows that both tables share
    /// are not compared.
    public static func == (a: Table, b: Table) -> Bool {
        var isEqual = a.count == b.count
        guard isEqual else { return false }
        a.storedRows.forEachDifference(from: b.storedRows) { _, mine, theirs in
            isEqual = mine != nil && mine?.row == theirs?.row
            return isEqual
        }
        return isEqual
    }
}

extension Table: Codable {
    /// Reads an object of rows. Throws an error for a name that is no key of the table's type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        var rows: [ExactText: StoredRow] = [:]
        for (key, row) in try container.decode([ExactText: Row].self) {
            guard let id = ID(keyText: key.text) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "The name \"\(key.text)\" is no key of the table."
                )
            }
            rows[key] = StoredRow(id, row)
        }
        self.init(rows)
    }

    /// Writes an object of rows.
    public func encode(to encoder: any Encoder) throws {
        var rows: [ExactText: Row] = Dictionary(minimumCapacity: count)
        for (key, stored) in storedRows { rows[ExactText(key)] = stored.row }
        var container = encoder.singleValueContainer()
        try container.encode(rows)
    }
}

extension Table: CustomStringConvertible, CustomReflectable {
    /// The keys and rows, as in the description of a dictionary.
    public var description: String {
        isEmpty
            ? "[:]" : "[" + map { "\($0.key.keyText): \($0.value)" }.joined(separator: ", ") + "]"
    }

    /// A mirror with the rows, as in the mirror of a dictionary.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: map { (label: $0.key.keyText, value: $0.value) },
            displayStyle: .struct
        )
    }
}

// The encoder of the published state uses the declarations below.

/// A row of a table, as an object. All versions of the table with this row share the object.
package class TableRow: @unchecked Sendable {
    // Safety: the only member is atomic.

    private let cachedEncoding = AtomicLazyReference<any AnyObject & Sendable>()

    init() {}

    /// The kept encoding of the row; `nil` before the first encoding.
    package var encoding: (any AnyObject & Sendable)? { cachedEncoding.load() }

    /// Keeps the encoding of the row, unless an encoding is kept already.
    package func cache(_ encoding: any AnyObject & Sendable) {
        _ = cachedEncoding.storeIfNil(encoding)
    }
}

extension Table {
    /// The rows, without their types.
    package var sharedRows: SortedTable<TableRow> { storedRows.asTable(of: TableRow.self) }

    /// Returns the row of an object in ``sharedRows``.
    package static func row(of shared: TableRow) -> Row? { (shared as? StoredRow)?.row }
}
