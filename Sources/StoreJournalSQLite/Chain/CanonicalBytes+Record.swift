import Glibc
import StoreCore

/// The fields of a record, as pointers into memory that the caller owns.
struct RecordFields {
    var version: UInt64
    var time: Int64
    var changed: Bool
    var type: UnsafeRawBufferPointer
    var payload: UnsafeRawBufferPointer
    var meta: UnsafeRawBufferPointer?
    var principal: UnsafeRawBufferPointer?
    var requestID: UnsafeRawBufferPointer?
    var cause: UInt64?
    var origin: UnsafeRawBufferPointer?
    var session: UnsafeRawBufferPointer?
    /// The number of the program that wrote the record; 0 if the program is not known.
    var program: UInt32 = 0

    /// The size in bytes of the source section, which follows the request's text.
    @inline(__always)
    fileprivate var sourceSectionBytes: Int {
        guard cause != nil || origin != nil || session != nil else { return 0 }
        return CanonicalBytes.sourceSectionHeadBytes + (origin?.count ?? 0)
            + (session.map { 4 + $0.count } ?? 0)
    }
}

extension CanonicalBytes {
    /// The size in bytes of the head of a record's canonical form. The head has the hash of the
    /// record before, three fields of fixed width, and the lengths of five more fields.
    static let recordHeadBytes = 32 + 8 + 8 + 1 + 5 * 4

    /// The size in bytes of the head of the source section: the cause, and the length of the
    /// origin.
    ///
    /// A record has a source section if it has a cause, an origin or a session. The length and the
    /// text of the session follow the origin. So a record without a session keeps the canonical
    /// form that it had before journals stored sessions.
    fileprivate static let sourceSectionHeadBytes = 8 + 4

    /// Returns the size in bytes of the program's number at the end of a record's canonical form; 0
    /// if the program is not known. A bit in the byte of `changed` shows that the number is
    /// present. So a record without a program keeps the canonical form that it had before journals
    /// stored programs.
    static func programByteCount(_ program: UInt32) -> Int { program == 0 ? 0 : 4 }

    /// Appends the canonical form of `record`; `previous` is the hash of the record before. Returns
    /// the offset of the form's first byte.
    mutating func append(_ record: RecordFields, after previous: ChainHash) -> Int {
        let fields =
            record.type.count + record.payload.count + (record.meta?.count ?? 0)
            + (record.principal?.count ?? 0) + (record.requestID?.count ?? 0)
        let size = Self.recordHeadBytes + fields
        let source = record.sourceSectionBytes
        let start = count
        let memory = extend(by: size + source + Self.programByteCount(record.program))
        Self.putHead(record, after: previous, at: memory)
        var place = memory + Self.recordHeadBytes
        Self.put(record.type, at: &place)
        Self.put(record.payload, at: &place)
        if let meta = record.meta { Self.put(meta, at: &place) }
        if let principal = record.principal { Self.put(principal, at: &place) }
        if let request = record.requestID { Self.put(request, at: &place) }
        if source > 0 {
            Self.putSourceHead(record, at: place)
            place += Self.sourceSectionHeadBytes
            if let origin = record.origin { Self.put(origin, at: &place) }
            if let session = record.session {
                Self.putLength(session.count, at: place)
                place += 4
                Self.put(session, at: &place)
            }
        }
        Self.put(program: record.program, at: place)
        return start
    }

    @inline(__always)
    private static func putHead(
        _ record: RecordFields,
        after previous: ChainHash,
        at memory: UnsafeMutableRawPointer
    ) {
        previous.store(to: memory)
        memory.storeBytes(of: record.version.littleEndian, toByteOffset: 32, as: UInt64.self)
        memory.storeBytes(of: record.time.littleEndian, toByteOffset: 40, as: Int64.self)
        let flags: UInt8 = (record.changed ? 1 : 0) | (record.program == 0 ? 0 : 2)
        memory.storeBytes(of: flags, toByteOffset: 48, as: UInt8.self)
        putLength(record.type.count, at: memory + 49)
        putLength(record.payload.count, at: memory + 53)
        putLength(record.meta?.count, at: memory + 57)
        putLength(record.principal?.count, at: memory + 61)
        putLength(record.requestID?.count, at: memory + 65)
    }

    @inline(__always)
    private static func putSourceHead(_ record: RecordFields, at memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: (record.cause ?? .max).littleEndian, as: UInt64.self)
        putLength(record.origin?.count, at: memory + 8)
    }

    @inline(__always)
    private static func put(program: UInt32, at place: UnsafeMutableRawPointer) {
        if program > 0 { place.storeBytes(of: program.littleEndian, as: UInt32.self) }
    }

    @inline(__always)
    private static func putLength(_ count: Int?, at place: UnsafeMutableRawPointer) {
        let count = count.map { UInt32(truncatingIfNeeded: $0) } ?? absentLength
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

    /// Replaces the bytes with the canonical form of `record`; `previous` is the hash of the record
    /// before. Returns pointers to the record's fields in this buffer.
    mutating func replace(with record: Record, after previous: ChainHash) -> RecordFields {
        clear()
        let hasSource = record.cause != nil || record.origin != nil || record.session != nil
        let size =
            Self.recordHeadBytes + record.type.utf8.count + record.payload.count
            + (record.meta?.count ?? 0) + (record.principal?.description.utf8.count ?? 0)
            + (record.requestID?.utf8.count ?? 0)
            + (hasSource ? Self.sourceSectionHeadBytes + (record.origin?.utf8.count ?? 0) : 0)
            + (record.session.map { 4 + $0.utf8.count } ?? 0)
            + Self.programByteCount(record.program)
        let memory = extend(by: size)
        var place = memory + Self.recordHeadBytes
        var fields = RecordFields(
            version: record.version,
            time: record.time,
            changed: record.changed,
            type: Self.put(record.type, at: &place),
            payload: Self.put(record.payload, at: &place)
        )
        fields.program = record.program
        if let meta = record.meta { fields.meta = Self.put(meta, at: &place) }
        if let principal = record.principal?.description {
            fields.principal = Self.put(principal, at: &place)
        }
        if let request = record.requestID { fields.requestID = Self.put(request, at: &place) }
        if hasSource {
            fields.cause = record.cause
            let head = place
            place += Self.sourceSectionHeadBytes
            if let origin = record.origin { fields.origin = Self.put(origin, at: &place) }
            Self.putSourceHead(fields, at: head)
            if let session = record.session {
                let length = place
                place += 4
                let text = Self.put(session, at: &place)
                Self.putLength(text.count, at: length)
                fields.session = text
            }
        }
        Self.put(program: record.program, at: place)
        Self.putHead(fields, after: previous, at: memory)
        return fields
    }

    @inline(__always)
    private static func put(
        _ text: String,
        at place: inout UnsafeMutableRawPointer
    ) -> UnsafeRawBufferPointer {
        var text = text
        let start = place
        text.withUTF8 { put(UnsafeRawBufferPointer($0), at: &place) }
        return UnsafeRawBufferPointer(start: start, count: place - start)
    }

    @inline(__always)
    private static func put(
        _ field: [UInt8],
        at place: inout UnsafeMutableRawPointer
    ) -> UnsafeRawBufferPointer {
        let start = place
        field.withUnsafeBytes { put($0, at: &place) }
        return UnsafeRawBufferPointer(start: start, count: place - start)
    }
}
