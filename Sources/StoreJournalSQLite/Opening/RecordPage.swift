package import StoreCore

/// Records of a journal that is being opened, in order and checked, where they lie in memory.
package struct RecordPage: ~Copyable {
    /// The most records.
    static let recordsMax = 1_000
    /// How many bytes make it full; one record may have more.
    static let bytesMax = 256 << 10

    /// Where one record's type lies; its payload lies behind it.
    private struct Place {
        var start: Int
        var typeCount: Int
        var payloadCount: Int
        /// Where the session lies, where there is one.
        var session: Range<Int>?
        var program: UInt32
    }

    /// The forms that are hashed, one behind the other: the fields are used where they lie there.
    private var form = CanonicalBytes(capacity: bytesMax + 4_096)
    private var places: [Place] = []
    private var first: UInt64 = 0

    init() {
        places.reserveCapacity(Self.recordsMax)
    }

    /// How many records it has.
    package var count: Int { places.count }

    var isFull: Bool { places.count >= Self.recordsMax || form.count >= Self.bytesMax }

    /// One of the records; its bytes are good for as long as the page is not filled anew.
    package func record(at index: Int) -> RecordView {
        let place = places[index]
        let end = place.start + place.typeCount
        return RecordView(
            version: first + UInt64(index),
            type: form.bytes(place.start..<end),
            payload: form.bytes(end..<(end + place.payloadCount)),
            session: place.session.map { form.bytes($0) },
            program: place.program
        )
    }

    /// Where the session lies in the form that was appended last: at its end, before the program.
    private func session(of fields: borrowing RecordFields) -> Range<Int>? {
        let end = form.count - CanonicalBytes.programBytes(fields.program)
        return fields.session.map { (end - $0.count)..<end }
    }

    /// Fills it with the next of the rows; leaves it empty where there are none. `each` gets the
    /// rows as they stand at each record.
    ///
    /// - Throws: where a row is damaged or missing, or the system can't read.
    mutating func fill(
        _ rows: inout RecordRows,
        each: (borrowing RecordRows) -> Void
    ) throws(ReadFailure) {
        form.clear()
        places.removeAll(keepingCapacity: true)
        first = rows.end.version + 1
        while !isFull, let start = try rows.next(&form) {
            places.append(
                Place(
                    start: start + CanonicalBytes.recordHeadBytes,
                    typeCount: rows.fields.type.count,
                    payloadCount: rows.fields.payload.count,
                    session: session(of: rows.fields),
                    program: rows.fields.program
                )
            )
            each(rows)
        }
    }
}
