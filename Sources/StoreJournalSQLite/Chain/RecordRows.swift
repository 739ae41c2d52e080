/// The rows of the table of records. Each row is checked against the row before.
///
/// The rows are valid within one read transaction.
struct RecordRows: ~Copyable {
    private let statement: Statement
    /// The version of the last row to read; `nil` to read all rows. A row of that version must
    /// exist.
    private let throughVersion: UInt64?
    /// The position of the current record.
    private(set) var currentPosition: ChainPosition
    private(set) var fields: RecordFields
    /// True if the statement is at a row that was not read yet.
    private var hasUnreadRow: Bool
    /// True if there are no more rows. Another step would run the statement again from its first
    /// row.
    private var isAtEnd: Bool

    /// Begins to read the rows after the version `after`, up to `throughVersion`. If
    /// `throughVersion` is `nil`, the last row is the end. Reads the hash at `after` from the
    /// database if `start` is `nil`.
    ///
    /// - Throws: ``DatabaseFailure`` if the record at `after` is missing or deleted, or can't be
    ///   read.
    init(
        _ reader: Reader,
        after: UInt64,
        from start: ChainHash? = nil,
        throughVersion: UInt64? = nil
    ) throws(DatabaseFailure) {
        let statement = throughVersion == nil ? reader.selectRecordsToEnd : reader.selectRecords
        try statement.bind(1, Int64(clamping: after))
        if let throughVersion { try statement.bind(2, Int64(clamping: throughVersion)) }
        var isPending = try statement.step()
        var known: ChainHash?
        if isPending, statement.integer(0) == Int64(clamping: after),
            let hash = ChainHash(statement.bytes(8))
        {
            // The next record's hash covers this record's hash.
            known = hash
            isPending = try statement.step()
        }
        let end =
            if let hash = start ?? known {
                ChainPosition(version: after, hash: hash)
            } else {
                try reader.readMeta().base
            }
        guard end.version <= after else { throw .gone(base: end) }
        guard end.version == after else { throw .damaged("record \(after) is missing") }
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        self.statement = statement
        self.throughVersion = throughVersion
        self.hasUnreadRow = isPending
        isAtEnd = !isPending
        self.currentPosition = end
        fields = RecordFields(version: after, time: 0, changed: false, type: none, payload: none)
    }

    /// Moves to the next record, appends the record's canonical form to `form`, and checks the
    /// record's hash. Returns the offset of the form's first byte; `nil` after the last record.
    /// ``fields`` is valid until the next call.
    mutating func appendNext(to form: inout CanonicalBytes) throws(DatabaseFailure) -> Int? {
        if let throughVersion, currentPosition.version >= throughVersion { return nil }
        if !hasUnreadRow, !isAtEnd {
            hasUnreadRow = try statement.step()
            isAtEnd = !hasUnreadRow
        }
        guard hasUnreadRow else {
            guard throughVersion != nil else { return nil }
            throw .damaged(
                "record \(currentPosition.version + 1) is missing: the records end before it"
            )
        }
        hasUnreadRow = false
        fields = RecordFields(
            version: UInt64(bitPattern: statement.integer(0)),
            time: statement.integer(1),
            changed: statement.integer(2) != 0,
            type: statement.bytes(3),
            payload: statement.bytes(4),
            meta: statement.bytesIfAny(5),
            principal: statement.bytesIfAny(6),
            requestID: statement.bytesIfAny(7),
            cause: statement.integerIfAny(9).map { UInt64(bitPattern: $0) },
            origin: statement.bytesIfAny(10),
            session: statement.bytesIfAny(11),
            program: UInt32(truncatingIfNeeded: statement.integer(12))
        )
        guard fields.version == currentPosition.version + 1 else {
            throw .damaged(
                "record \(currentPosition.version + 1) is missing: \(fields.version) comes next"
            )
        }
        let start = form.append(fields, after: currentPosition.hash)
        let hash = ChainHash(hashing: form.bytes(start..<form.count))
        guard hash.matches(statement.bytes(8)) else {
            throw .damaged("record \(fields.version) has changed since it was written")
        }
        currentPosition = ChainPosition(version: fields.version, hash: hash)
        return start
    }
}
