import Glibc

/// A reusable buffer for the bytes over which a hash is computed.
///
/// The canonical form of a value has its numbers, each of a fixed width, the lengths of its fields,
/// and then the fields. Different values never have the same bytes.
struct CanonicalBytes: ~Copyable {
    /// The length that marks an absent field.
    static let absent = UInt32.max

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4_096) {
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    /// The bytes that were appended so far; valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Returns a range of the bytes; valid until the next change.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    var hash: ChainHash { ChainHash(hashing: bytes) }

    mutating func clear() {
        count = 0
    }

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
        if let base = field.baseAddress {
            memcpy(memory + start, base, field.count)
        }
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

    /// Makes room for `more` bytes.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(to: count + more) }
    }

    private mutating func grow(to needed: Int) {
        let larger = max(needed, capacity * 2)
        let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        fresh.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        (memory, capacity) = (fresh, larger)
    }
}
