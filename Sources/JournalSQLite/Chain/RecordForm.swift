import StoreCore

/// A record's fields where they lie in memory that somebody else owns.
struct RecordFields {
    var version: UInt64
    var time: Int64
    var changed: Bool
    var type: UnsafeRawBufferPointer
    var payload: UnsafeRawBufferPointer
    var meta: UnsafeRawBufferPointer?
    var principal: UnsafeRawBufferPointer?
    var request: UnsafeRawBufferPointer?
    var cause: UInt64?
    var origin: UnsafeRawBufferPointer?
}

extension ByteForm {
    /// What the form of each record begins with, before its fields: the hash of the record before it, its
    /// own numbers, and the lengths of five fields.
    static let recordHeadBytes = 32 + 8 + 8 + 1 + 5 * 4

    /// Appends the form of a record that follows `previous`. Answers where it begins.
    mutating func append(_ record: borrowing RecordFields, after previous: ChainHash) -> Int {
        let start = count
        let meta = record.meta?.count ?? 0
        let principal = record.principal?.count ?? 0
        reserve(
            Self.recordHeadBytes + record.type.count + record.payload.count + meta + principal
                + (record.request?.count ?? 0) + 12 + (record.origin?.count ?? 0)
        )
        begin(record.version, record.time, record.changed, after: previous)
        append(UInt32(truncatingIfNeeded: record.type.count))
        append(UInt32(truncatingIfNeeded: record.payload.count))
        appendLength(record.meta?.count)
        appendLength(record.principal?.count)
        appendLength(record.request?.count)
        append(record.type)
        append(record.payload)
        if let meta = record.meta { append(meta) }
        if let principal = record.principal { append(principal) }
        if let request = record.request { append(request) }
        beginSource(record.cause, record.origin?.count)
        if let origin = record.origin { append(origin) }
        return start
    }

    /// Puts a record that follows `previous` together, and says where its fields lie.
    mutating func put(_ record: Record, after previous: ChainHash) -> RecordFields {
        clear()
        begin(record.version, record.time, record.changed, after: previous)
        append(UInt32(truncatingIfNeeded: record.type.utf8.count))
        append(UInt32(truncatingIfNeeded: record.payload.count))
        appendLength(record.meta?.count)
        appendLength(record.principal?.utf8.count)
        appendLength(record.requestID?.utf8.count)
        let type = append(record.type)
        let payload = append(record.payload)
        let meta = record.meta.map { append($0) }
        let principal = record.principal.map { append($0) }
        let request = record.requestID.map { append($0) }
        beginSource(record.cause, record.origin?.utf8.count)
        let origin = record.origin.map { append($0) }
        // Only now does the memory stay where it is.
        return RecordFields(
            version: record.version,
            time: record.time,
            changed: record.changed,
            type: bytes(type),
            payload: bytes(payload),
            meta: meta.map { bytes($0) },
            principal: principal.map { bytes($0) },
            request: request.map { bytes($0) },
            cause: record.cause,
            origin: origin.map { bytes($0) }
        )
    }

    private mutating func begin(
        _ version: UInt64,
        _ time: Int64,
        _ changed: Bool,
        after previous: ChainHash
    ) {
        append(previous)
        append(version)
        append(time)
        append(UInt8(changed ? 1 : 0))
    }

    /// Clients' records have neither, and end before them.
    private mutating func beginSource(_ cause: UInt64?, _ originCount: Int?) {
        guard cause != nil || originCount != nil else { return }
        append(cause ?? .max)
        appendLength(originCount)
    }

    private mutating func appendLength(_ count: Int?) {
        append(count.map { UInt32(truncatingIfNeeded: $0) } ?? Self.absent)
    }
}
