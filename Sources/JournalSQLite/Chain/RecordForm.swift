import Glibc
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
    mutating func append(_ record: RecordFields, after previous: ChainHash) -> Int {
        let hasSource = record.cause != nil || record.origin != nil
        let fields =
            record.type.count + record.payload.count + (record.meta?.count ?? 0)
            + (record.principal?.count ?? 0) + (record.request?.count ?? 0)
        let size = Self.recordHeadBytes + fields
        let source = hasSource ? 12 + (record.origin?.count ?? 0) : 0
        let start = count
        let memory = extend(by: size + source)
        previous.store(to: memory)
        memory.storeBytes(of: record.version.littleEndian, toByteOffset: 32, as: UInt64.self)
        memory.storeBytes(of: record.time.littleEndian, toByteOffset: 40, as: Int64.self)
        memory.storeBytes(of: record.changed ? 1 : 0, toByteOffset: 48, as: UInt8.self)
        Self.put(record.type.count, at: memory + 49)
        Self.put(record.payload.count, at: memory + 53)
        Self.put(record.meta?.count, at: memory + 57)
        Self.put(record.principal?.count, at: memory + 61)
        Self.put(record.request?.count, at: memory + 65)
        var place = memory + Self.recordHeadBytes
        Self.put(record.type, at: &place)
        Self.put(record.payload, at: &place)
        if let meta = record.meta { Self.put(meta, at: &place) }
        if let principal = record.principal { Self.put(principal, at: &place) }
        if let request = record.request { Self.put(request, at: &place) }
        // Clients' records have no source, and end before it.
        guard hasSource else { return start }
        place.storeBytes(of: (record.cause ?? .max).littleEndian, as: UInt64.self)
        Self.put(record.origin?.count, at: place + 8)
        place += 12
        if let origin = record.origin { Self.put(origin, at: &place) }
        return start
    }

    @inline(__always)
    private static func put(_ count: Int?, at place: UnsafeMutableRawPointer) {
        let count = count.map { UInt32(truncatingIfNeeded: $0) } ?? absent
        place.storeBytes(of: count.littleEndian, as: UInt32.self)
    }

    @inline(__always)
    private static func put(
        _ field: UnsafeRawBufferPointer,
        at place: inout UnsafeMutableRawPointer
    ) {
        guard let base = field.baseAddress else { return }
        memcpy(place, base, field.count)
        place += field.count
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
