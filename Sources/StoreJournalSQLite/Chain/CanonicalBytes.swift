import Glibc
import StoreCore

/// A reusable buffer for the bytes over which a hash is computed.
///
/// In the canonical form of a value, numbers have a fixed width. The length of each text and each
/// blob precedes its bytes. So two different values never have the same canonical form.
struct CanonicalBytes: ~Copyable {
    /// The length that marks an absent field.
    static let absentLength = UInt32.max

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4_096) {
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// The bytes that were appended so far; valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Returns a range of the bytes; valid until the next change.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    var hash: ChainHash { ChainHash(hashing: bytes) }

    mutating func clear() { count = 0 }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let size = MemoryLayout<Number>.size
        reserve(size)
        memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
        count += size
    }

    @discardableResult
    mutating func append(_ field: UnsafeRawBufferPointer) -> Range<Int> {
        reserve(field.count)
        let start = count
        if let base = field.baseAddress { memcpy(memory + start, base, field.count) }
        count += field.count
        return start..<count
    }

    @discardableResult
    mutating func append(_ text: String) -> Range<Int> {
        let start = count
        var text = text
        text.withUTF8 { _ = append(UnsafeRawBufferPointer($0)) }
        return start..<count
    }

    @discardableResult
    mutating func append(_ field: [UInt8]) -> Range<Int> {
        let start = count
        field.withUnsafeBytes { _ = append($0) }
        return start..<count
    }

    /// Appends `size` bytes without initializing them. Returns their address; the caller has to
    /// write all of them.
    @inline(__always)
    mutating func extend(by size: Int) -> UnsafeMutableRawPointer {
        reserve(size)
        defer { count += size }
        return memory + count
    }

    @inline(__always)
    mutating func reserve(_ additionalBytes: Int) {
        if count + additionalBytes > capacity { grow(to: count + additionalBytes) }
    }

    private mutating func grow(to needed: Int) {
        let larger = max(needed, capacity * 2)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        fresh.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        (memory, capacity) = (fresh, larger)
    }
}

/// The fields of an outcome, as pointers into memory that the caller owns.
struct OutcomeFields {
    var key: UnsafeRawBufferPointer
    /// The sender: "=" and the name, or empty if the sender is unknown.
    var principal: UnsafeRawBufferPointer
    var fingerprint: UnsafeRawBufferPointer
}

extension CanonicalBytes {
    /// Replaces the bytes with the canonical form of an outcome. Returns pointers to the outcome's
    /// fields.
    mutating func replace(with outcome: KeptOutcome) -> OutcomeFields {
        clear()
        append(outcome.firstVersion)
        append(outcome.lastVersion)
        append(outcome.time)
        append(UInt8(outcome.changed ? 1 : 0))
        append(UInt32(truncatingIfNeeded: outcome.key.key.utf8.count))
        append(UInt32(truncatingIfNeeded: outcome.key.principal.map { $0.utf8.count + 1 } ?? 0))
        let key = append(outcome.key.key)
        let principal = append(principal: outcome.key.principal)
        let fingerprint = append(outcome.fingerprint)
        return OutcomeFields(
            key: bytes(key),
            principal: bytes(principal),
            fingerprint: bytes(fingerprint)
        )
    }

    /// Replaces the bytes with the fields of a key, for a look-up. Returns pointers to the fields;
    /// the fingerprint is empty.
    mutating func replace(with key: IdempotencyKey) -> OutcomeFields {
        clear()
        let name = append(key.key)
        let principal = append(principal: key.principal)
        return OutcomeFields(
            key: bytes(name),
            principal: bytes(principal),
            fingerprint: UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    /// The checksum of an outcome in the buffer: the first 64 bits of the hash.
    var outcomeChecksum: Int64 { Int64(bitPattern: hash.prefix) }

    private mutating func append(principal: String?) -> Range<Int> {
        let start = count
        if let principal {
            append(UInt8(ascii: "="))
            append(principal)
        }
        return start..<count
    }
}
