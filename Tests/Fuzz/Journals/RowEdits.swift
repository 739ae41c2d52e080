@testable import StoreJournalSQLite

/// Values for columns of a journal's rows, in any type that SQLite has. Trees and pages stay whole,
/// so the code that reads the rows gets the values.
struct RowEdits {
    /// The largest number of edits of one input.
    private static let countMax = 8

    private static let columns: [(table: String, key: String, columns: [String])] = [
        ("meta", "id", ["id", "epoch", "origin", "base", "base_hash", "sum"]),
        (
            "records", "version",
            [
                "version", "time", "changed", "type", "payload", "meta", "principal", "request",
                "hash", "cause", "origin", "session",
            ]
        ),
        (
            "outcomes", "first",
            ["key", "principal", "fingerprint", "first", "last", "changed", "time", "sum"]
        ),
        (
            "snapshots", "version",
            ["version", "time", "form", "size", "bytes", "hash", "state_hash", "state"]
        ),
    ]

    private var statements: [String] = []

    /// Reads edits: the table and the column, the row, the type of the value, the number of its
    /// bytes, and the bytes.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while rest.count >= 4, statements.count < Self.countMax {
            let start = rest.startIndex
            let table = Self.columns[Int(rest[start] >> 6)]
            let column = table.columns[Int(rest[start] & 0x3F) % table.columns.count]
            let row = rest[start + 1]
            let type = rest[start + 2]
            let value = rest.dropFirst(4).prefix(Int(rest[start + 3]))
            rest = rest.dropFirst(4 + value.count)
            let `where` = "(SELECT \(table.key) FROM \(table.table) LIMIT 1 OFFSET \(row % 64))"
            statements.append(
                type & 0x80 != 0
                    ? "DELETE FROM \(table.table) WHERE \(table.key) = \(`where`)"
                    : "UPDATE \(table.table) SET \(column) = \(Self.literal(type, value)) "
                        + "WHERE \(table.key) = \(`where`)"
            )
        }
    }

    /// Returns a value in the form of SQL.
    private static func literal(_ type: UInt8, _ value: ArraySlice<UInt8>) -> String {
        let hex = value.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        let number = value.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return switch type % 5 {
        case 0: "NULL"
        case 1: number == .min ? "0" : "\(number)"
        case 2: "\(number).5"
        case 3: "CAST(x'\(hex)' AS TEXT)"
        default: "x'\(hex)'"
        }
    }

    /// Makes the edits that the tables accept.
    func apply(to database: String) {
        guard let connection = try? Connection(path: database, for: .write) else {
            fatalError("The database can't be opened.")
        }
        for statement in statements { try? connection.execute(statement) }
    }
}
