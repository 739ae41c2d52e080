package import StoreCore

/// Checked records of a journal that is being opened, in order and in contiguous memory.
package struct RecordPage: ~Copyable {
    static let recordsMax = 1_000
    /// The number of bytes at which a page is full. The last record may end beyond this number.
    static let bytesMax = 256 << 10

    /// The offsets of a record's fields in the page. The payload follows the type directly.
    private struct FieldOffsets {
        var typeStart: Int
        var typeBytesCount: Int
        var payloadBytesCount: Int
        var time: Int64
        /// The offsets of the principal's bytes; `nil` if the record has no principal.
        var principalRange: Range<Int>?
        var cause: UInt64?
        /// The offsets of the session's bytes; `nil` if the record has no session.
        var sessionRange: Range<Int>?
        var programNumber: UInt32
    }

    /// The canonical forms of the records, one after the other. A ``RecordView`` points into these
    /// bytes.
    private var canonicalRecords = CanonicalBytes(capacity: bytesMax + 4_096)
    private var fieldOffsets: [FieldOffsets] = []
    private var firstVersion: UInt64 = 0

    init() { fieldOffsets.reserveCapacity(Self.recordsMax) }

    package var count: Int { fieldOffsets.count }

    var isFull: Bool {
        fieldOffsets.count >= Self.recordsMax || canonicalRecords.count >= Self.bytesMax
    }

    /// Returns a record. The record's bytes are valid until the page is filled again.
    package func record(at index: Int) -> RecordView {
        let place = fieldOffsets[index]
        let end = place.typeStart + place.typeBytesCount
        return RecordView(
            version: firstVersion + UInt64(index),
            time: place.time,
            type: canonicalRecords.bytes(place.typeStart..<end),
            payload: canonicalRecords.bytes(end..<(end + place.payloadBytesCount)),
            principal: place.principalRange.map { canonicalRecords.bytes($0) },
            cause: place.cause,
            session: place.sessionRange.map { canonicalRecords.bytes($0) },
            programNumber: place.programNumber
        )
    }

    /// Returns the offsets of the principal's bytes in a canonical form. The principal follows the
    /// type, the payload and the meta, which begin at `start`.
    private func principalRange(of fields: borrowing RecordFields, from start: Int) -> Range<Int>? {
        guard let principal = fields.principal else { return nil }
        let first = start + fields.type.count + fields.payload.count + (fields.meta?.count ?? 0)
        return first..<(first + principal.count)
    }

    /// Returns the offsets of the session's bytes in the last canonical form on the page. The
    /// session is the last field of that form, or the field before the program's number.
    private func sessionRange(of fields: borrowing RecordFields) -> Range<Int>? {
        let end = canonicalRecords.count - CanonicalBytes.programByteCount(fields.program)
        return fields.session.map { (end - $0.count)..<end }
    }

    /// Fills the page with the next rows; leaves the page empty after the last row. Calls `each`
    /// with `rows` at each record.
    mutating func fill(
        _ rows: inout RecordRows,
        each: (borrowing RecordRows) -> Void
    ) throws(DatabaseFailure) {
        canonicalRecords.clear()
        fieldOffsets.removeAll(keepingCapacity: true)
        firstVersion = rows.currentPosition.version + 1
        while !isFull, let start = try rows.appendNext(to: &canonicalRecords) {
            let typeStart = start + CanonicalBytes.recordHeadBytes
            fieldOffsets.append(
                FieldOffsets(
                    typeStart: typeStart,
                    typeBytesCount: rows.fields.type.count,
                    payloadBytesCount: rows.fields.payload.count,
                    time: rows.fields.time,
                    principalRange: principalRange(of: rows.fields, from: typeStart),
                    cause: rows.fields.cause,
                    sessionRange: sessionRange(of: rows.fields),
                    programNumber: rows.fields.program
                )
            )
            each(rows)
        }
    }
}

/// An object that makes the state from the records while the opening of the journal checks them. So
/// each record is read and hashed only once.
package protocol HistoryFollower: AnyObject {
    /// Begins with the state of the snapshot. Returns false if the follower can't continue from
    /// that state; the follower then gets no records. The records after the snapshot end at the
    /// version `newest`. Each record was written by one of `programs` or by an unknown program.
    func begin(
        with snapshot: StateSnapshot,
        newest: UInt64,
        writtenBy programs: [RegisteredProgram]
    ) -> Bool

    /// Processes the next records. If the result is false, the follower gets no more records.
    func follow(_ page: borrowing RecordPage) -> Bool

    /// Discards the results: the journal is damaged, and its final contents are not known yet.
    func discardResult()
}
