/// A parsed document: its bytes, and an entry for each value and key in the order of their bytes.
///
/// An entry takes 16 bytes. A document takes two allocations, which the next document of the same
/// tape uses again. No text is unescaped, converted or copied before a caller reads it.
final class JSONTape {
    /// A key or a value.
    struct Entry {
        /// The offset of its first byte; that byte determines its kind.
        var start: UInt32
        /// The offset after its last byte.
        var end: UInt32
        /// The index of the entry after this one and all entries within it. For a key: its hash.
        var next: UInt32
        /// Array: the number of elements. Object: the key that the decoder compares first; the
        /// decoder moves it on. String: 1 if it has escapes. Number: 1 if it has neither a fraction
        /// nor an exponent.
        var detail: UInt32
    }

    /// The number of zero bytes behind the document, so that a read of eight bytes stays within the
    /// memory.
    static let padding = 16

    private(set) var source: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var sourceCapacity: Int
    private(set) var entries: UnsafeMutablePointer<Entry>
    private(set) var entryCount = 0
    private var entryCapacity: Int

    init() {
        sourceCapacity = 256
        source = .allocate(capacity: sourceCapacity)
        entryCapacity = 16
        entries = .allocate(capacity: entryCapacity)
    }

    deinit {
        source.deallocate()
        entries.deallocate()
    }

    /// Copies the bytes of a document, which replaces the document on the tape.
    func load(_ bytes: UnsafeRawBufferPointer) {
        let needed = bytes.count + Self.padding
        if needed > sourceCapacity {
            source.deallocate()
            sourceCapacity = needed
            source = .allocate(capacity: needed)
        }
        if let base = bytes.baseAddress, bytes.count > 0 {
            UnsafeMutableRawPointer(source).copyMemory(from: base, byteCount: bytes.count)
        }
        (source + bytes.count).initialize(repeating: 0, count: Self.padding)
        count = bytes.count
        entryCount = 0
    }

    /// The index after the entry that is appended next, if no entries are within that entry.
    @inline(__always)
    var indexAfterNext: UInt32 { UInt32(truncatingIfNeeded: entryCount &+ 1) }

    @inline(__always)
    func append(start: Int, end: Int, next: UInt32, detail: UInt32) {
        if entryCount == entryCapacity { grow() }
        (entries + entryCount).initialize(
            to: Entry(
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                next: next,
                detail: detail
            )
        )
        entryCount &+= 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity * 2)
        larger.moveInitialize(from: entries, count: entryCount)
        entries.deallocate()
        entries = larger
        entryCapacity *= 2
    }

    /// Frees the memory of an unusually large document, if it exceeds `bytes`.
    func shrink(below bytes: Int) {
        if sourceCapacity > bytes {
            source.deallocate()
            sourceCapacity = 512
            source = .allocate(capacity: sourceCapacity)
            count = 0
        }
        if entryCapacity * MemoryLayout<Entry>.stride > bytes {
            entries.deallocate()
            entryCapacity = 64
            entries = .allocate(capacity: entryCapacity)
            entryCount = 0
        }
    }
}

extension JSONTape {
    /// Returns the kind of the value at an index, which its first byte determines.
    @inline(__always)
    func kind(at index: Int) -> JSONKind {
        switch source[Int(entries[index].start)] {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"): .true
        case UInt8(ascii: "f"): .false
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// Returns the bytes of a string or key between its quotes, with its escapes.
    @inline(__always)
    func rawString(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let entry = entries[index]
        return UnsafeBufferPointer(
            start: source + Int(entry.start) + 1,
            count: Int(entry.end &- entry.start) &- 2
        )
    }

    /// Returns the text of a string or key.
    func string(at index: Int) -> String {
        let raw = rawString(at: index)
        if entries[index].detail == 0 { return String(decoding: raw, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: raw.count) {
            JSONEscapes.unescape(raw, into: $0)
        }
    }

    /// True if a key has this text, which is UTF-8.
    @inline(__always)
    func key(at index: Int, equals text: UnsafeBufferPointer<UInt8>) -> Bool {
        let entry = entries[index]
        if entry.detail == 0 {
            let length = Int(entry.end &- entry.start) &- 2
            guard length == text.count, let other = text.baseAddress else {
                return length == 0 && text.isEmpty
            }
            return equalBytes(source + Int(entry.start) + 1, other, length)
        }
        return string(at: index).utf8.elementsEqual(text)
    }

    /// Returns the JSON Pointer of a value. Walks from the root, so it is meant for errors only.
    func pointer(to target: Int) -> String {
        DecodingTrail().codingPath(to: target, in: self).pointer
    }
}

/// True if two byte sequences are equal. Short sequences, such as names, are compared inline, which
/// is faster than a call of the C library.
@inline(__always)
func equalBytes(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    guard count <= 64 else {
        return UnsafeRawBufferPointer(start: a, count: count)
            .hasSameBytes(as: UnsafeRawBufferPointer(start: b, count: count))
    }
    var offset = 0
    let a = UnsafeRawPointer(a)
    let b = UnsafeRawPointer(b)
    while offset &+ 8 <= count {
        if a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            != b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        {
            return false
        }
        offset &+= 8
    }
    while offset < count {
        if a.load(fromByteOffset: offset, as: UInt8.self)
            != b.load(fromByteOffset: offset, as: UInt8.self)
        {
            return false
        }
        offset &+= 1
    }
    return true
}

// Duplicate keys

extension JSONTape {
    /// The maximum number of keys that are compared in pairs; more keys are compared through a hash
    /// table.
    private static let pairwiseMax = 12

    /// Returns the second of two equal keys in the object that was read last; `nil` if all keys
    /// differ.
    func duplicateKey(in object: Int) -> Int? {
        let keys = Int(entries[object].detail)
        return keys <= Self.pairwiseMax ? pairwise(object) : tabled(object, keys)
    }

    private func pairwise(_ object: Int) -> Int? {
        var key = object &+ 1
        while key < entryCount {
            let hash = entries[key].next
            var earlier = object &+ 1
            while earlier < key {
                if entries[earlier].next == hash, isSameKey(earlier, key) { return key }
                earlier = Int(entries[earlier &+ 1].next)
            }
            key = Int(entries[key &+ 1].next)
        }
        return nil
    }

    /// Finds a duplicate by open addressing over a seeded hash: a client cannot compute keys that
    /// collide.
    private func tabled(_ object: Int, _ keys: Int) -> Int? {
        var size = 32
        while size < keys * 2 { size *= 2 }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table -> Int? in
            table.initialize(repeating: 0)
            var key = object &+ 1
            while key < entryCount {
                var slot = seededHash(of: key) & (size &- 1)
                while table[slot] != 0 {
                    let earlier = Int(table[slot])
                    if entries[earlier].next == entries[key].next, isSameKey(earlier, key) {
                        return key
                    }
                    slot = (slot &+ 1) & (size &- 1)
                }
                table[slot] = UInt32(truncatingIfNeeded: key)
                key = Int(entries[key &+ 1].next)
            }
            return nil
        }
    }

    private func seededHash(of key: Int) -> Int {
        var hasher = Hasher()
        if entries[key].detail == 0 {
            hasher.combine(bytes: UnsafeRawBufferPointer(rawString(at: key)))
        } else {
            var text = string(at: key)
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
        return hasher.finalize()
    }

    private func isSameKey(_ a: Int, _ b: Int) -> Bool {
        if entries[a].detail == 0 { return key(at: b, equals: rawString(at: a)) }
        if entries[b].detail == 0 { return key(at: a, equals: rawString(at: b)) }
        return string(at: a).utf8.elementsEqual(string(at: b).utf8)
    }
}
