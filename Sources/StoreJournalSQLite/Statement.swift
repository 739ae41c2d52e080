import CStoreSQLite

/// A prepared statement; it keeps its connection open.
final class Statement {
    private let connection: Connection
    private let handle: OpaquePointer
    private let sql: String

    init(_ connection: Connection, _ sql: String) throws(DatabaseFailure) {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.failure(code, sql) }
        self.connection = connection
        self.sql = sql
        handle = prepared
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row; returns false after the last row.
    func step() throws(DatabaseFailure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.failure(code, sql)
        }
    }

    /// Prepares the statement for another run. Ignores the result code, because ``step()`` has
    /// already thrown the error.
    func reset() { sqlite3_reset(handle) }

    /// Runs a statement without result rows to its end.
    func run() throws(DatabaseFailure) {
        defer { reset() }
        while try step() {}
    }

    /// The number of rows that the last run changed.
    var changedRowsCount: Int { Int(sqlite3_changes(connection.handle)) }
}

// Parameters count from 1. SQLite does not copy the bytes of a pointer: they have to stay in place
// until the statement has run.
extension Statement {
    func bind(_ index: CInt, _ value: Int64) throws(DatabaseFailure) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: CInt, blob: UnsafeRawBufferPointer) throws(DatabaseFailure) {
        guard let base = blob.baseAddress, !blob.isEmpty else {
            return try check(sqlite3_bind_zeroblob(handle, index, 0))
        }
        try check(sqlite3_bind_blob64(handle, index, base, UInt64(blob.count), nil))
    }

    func bind(_ index: CInt, text: UnsafeRawBufferPointer) throws(DatabaseFailure) {
        guard let base = text.baseAddress, !text.isEmpty else {
            return try check(sqlite3_bind_text(handle, index, "", 0, nil))
        }
        let bytes = base.assumingMemoryBound(to: CChar.self)
        let encoding = UInt8(truncatingIfNeeded: SQLITE_UTF8)
        let count = UInt64(text.count)
        try check(sqlite3_bind_text64(handle, index, bytes, count, nil, encoding))
    }

    func bindNull(_ index: CInt) throws(DatabaseFailure) {
        try check(sqlite3_bind_null(handle, index))
    }

    private func check(_ code: CInt) throws(DatabaseFailure) {
        guard code == SQLITE_OK else { throw connection.failure(code, sql) }
    }
}

// Columns count from 0. A pointer is valid until the next step or reset.
extension Statement {
    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns the integer; `nil` for NULL.
    func integerIfAny(_ column: CInt) -> Int64? {
        let value = sqlite3_column_value(handle, column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
    }

    /// Returns the bytes of a blob or a text. A text is read as a blob, too: for a C string, SQLite
    /// would copy the text to add a zero byte.
    func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        Self.bytes(of: sqlite3_column_value(handle, column))
    }

    /// Returns the bytes of a blob or a text; `nil` for NULL.
    func bytesIfAny(_ column: CInt) -> UnsafeRawBufferPointer? {
        let value = sqlite3_column_value(handle, column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : Self.bytes(of: value)
    }

    private static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
        let base = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
    }

    func string(_ column: CInt) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
