import Glibc
import StoreCore

/// A read-only connection with its prepared statements.
///
/// Safety: only the thread that took the reader out of the pool uses the reader.
final class Reader: @unchecked Sendable {
    let connection: Connection
    let begin: Statement
    let commit: Statement
    let selectMeta: Statement
    let selectRecords: Statement
    /// The query of ``selectRecords`` without an upper bound. Each row then costs one comparison
    /// less.
    let selectRecordsToEnd: Statement
    let selectOutcome: Statement
    let selectSnapshots: Statement
    /// True if the file has a table of programs; files of older forms have none.
    let hasProgramsTable: Bool
    var formBuffer = CanonicalBytes()
    var strings = TextCache()
    var principals = TextCache()

    init(_ path: String) throws(DatabaseFailure) {
        connection = try Connection(path: path, for: .read)
        begin = try Statement(connection, "BEGIN")
        commit = try Statement(connection, "COMMIT")
        selectMeta = try Statement(
            connection,
            "SELECT epoch, origin, base, base_hash, sum FROM meta WHERE id = 0"
        )
        let format = try Schema.format(of: connection)
        hasProgramsTable = format >= 3
        // Records of form 1 have no session. Records of forms 1 and 2 have no program.
        let added = (format < 2 ? "NULL" : "session") + (format < 3 ? ", NULL" : ", program")
        let columns =
            "version, time, changed, type, payload, meta, principal, request, hash, cause, origin, "
            + added
        selectRecords = try Statement(
            connection,
            "SELECT \(columns) FROM records WHERE version BETWEEN ? AND ? ORDER BY version"
        )
        selectRecordsToEnd = try Statement(
            connection,
            "SELECT \(columns) FROM records WHERE version >= ? ORDER BY version"
        )
        selectOutcome = try Statement(
            connection,
            """
            SELECT fingerprint, first, last, changed, time, sum
            FROM outcomes WHERE key = ? AND principal = ?
            """
        )
        selectSnapshots = try Statement(
            connection,
            """
            SELECT version, time, form, size, bytes, hash, state_hash, state
            FROM snapshots WHERE version <= ? ORDER BY version DESC
            """
        )
    }

    /// Runs `body` in one read transaction: all reads see the same state of the database.
    func withTransaction<Result>(
        _ body: (Reader) throws(DatabaseFailure) -> Result
    ) throws(DatabaseFailure) -> Result {
        try begin.run()
        defer {
            resetRecordStatements()
            try? commit.run()
        }
        return try body(self)
    }

    /// Resets the statements that read records, so that they no longer hold a row.
    func resetRecordStatements() {
        selectRecords.reset()
        selectRecordsToEnd.reset()
    }
}

/// A cache of strings that occur in many rows.
///
/// The cache has a fixed number of slots. The hash of a text selects a slot, and each slot has its
/// most recent text.
struct TextCache {
    private static let slotsCount = 256

    private var slots: [String?] = Array(repeating: nil, count: slotsCount)

    /// Returns the bytes as a string.
    mutating func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let place = Self.slotIndex(of: bytes)
        if let known = slots[place], Self.isSame(known, bytes) { return known }
        let text = String(decoding: bytes, as: UTF8.self)
        slots[place] = text
        return text
    }

    private static func isSame(_ text: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        text.utf8.count == bytes.count
            && text.utf8.withContiguousStorageIfAvailable { known in
                guard let known = known.baseAddress, let read = bytes.baseAddress else {
                    return true
                }
                return memcmp(known, read, bytes.count) == 0
            } ?? false
    }

    /// Returns the index of a text's slot: a hash (FNV-1a) of the length and the last eight bytes.
    /// Names differ most in their last bytes.
    private static func slotIndex(of bytes: UnsafeRawBufferPointer) -> Int {
        var hash = 0x811C_9DC5 ^ UInt32(truncatingIfNeeded: bytes.count)
        for byte in bytes.suffix(8) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int((hash ^ hash >> 16) % UInt32(slotsCount))
    }
}
