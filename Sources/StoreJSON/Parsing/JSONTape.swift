/// A parsed document: a copy of its bytes, and a list of entries. Each value and each key has an
/// entry, in the order of the document.
///
/// An entry takes 16 bytes. A tape has two allocations, and the next document on the same tape uses
/// them again. The tape does not unescape, convert or copy a text before a caller reads it.
final class JSONTape {
    /// The position of a key or a value in the document.
    struct Entry {
        /// The offset of the first byte of the key or value. The first byte of a value determines
        /// its kind.
        var start: UInt32
        /// The offset after the last byte of the key or value.
        var end: UInt32
        /// For a value: the index of the entry that follows this entry and all entries within it.
        /// For a key: the hash of the key.
        var nextOrHash: UInt32
        /// For an array: the number of elements. For an object: the index of the key that the
        /// decoder compares first in its next search. For a string or a key: 1 if it has escapes.
        /// For a number: 1 if it has neither a fraction nor an exponent.
        var detail: UInt32
    }

    /// The number of zero bytes after the document. Because of these bytes, code may read eight
    /// bytes at once without leaving the memory.
    static let paddingByteCount = 16

    private(set) var source: UnsafeMutablePointer<UInt8>
    private(set) var sourceByteCount = 0
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

    /// Copies the bytes of a document onto the tape, in place of the present document.
    func load(_ bytes: UnsafeRawBufferPointer) {
        let needed = bytes.count + Self.paddingByteCount
        if needed > sourceCapacity {
            source.deallocate()
            sourceCapacity = needed
            source = .allocate(capacity: needed)
        }
        if let base = bytes.baseAddress, bytes.count > 0 {
            UnsafeMutableRawPointer(source).copyMemory(from: base, byteCount: bytes.count)
        }
        (source + bytes.count).initialize(repeating: 0, count: Self.paddingByteCount)
        sourceByteCount = bytes.count
        entryCount = 0
    }

    /// The field `nextOrHash` of the entry that is appended next, if that entry is no container.
    @inline(__always)
    var indexAfterNext: UInt32 { UInt32(truncatingIfNeeded: entryCount &+ 1) }

    @inline(__always)
    func append(start: Int, end: Int, nextOrHash: UInt32, detail: UInt32) {
        if entryCount == entryCapacity { growEntries() }
        (entries + entryCount).initialize(
            to: Entry(
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                nextOrHash: nextOrHash,
                detail: detail
            )
        )
        entryCount &+= 1
    }

    private func growEntries() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity * 2)
        larger.moveInitialize(from: entries, count: entryCount)
        entries.deallocate()
        entries = larger
        entryCapacity *= 2
    }

    /// Replaces each buffer that has more than `bytes` bytes by a small buffer. The document on the
    /// tape is lost.
    func replaceBuffers(largerThan bytes: Int) {
        if sourceCapacity > bytes {
            source.deallocate()
            sourceCapacity = 512
            source = .allocate(capacity: sourceCapacity)
            sourceByteCount = 0
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
    /// Returns the kind of the value at an index. The first byte of the value determines the kind.
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

    /// Returns the bytes between the quotes of a string or key, with the escapes.
    @inline(__always)
    func rawString(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let entry = entries[index]
        return UnsafeBufferPointer(
            start: source + Int(entry.start) + 1,
            count: Int(entry.end &- entry.start) &- 2
        )
    }

    /// Returns the text of a string or key, without escapes.
    func string(at index: Int) -> String {
        let raw = rawString(at: index)
        if entries[index].detail == 0 { return String(decoding: raw, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: raw.count) {
            JSONEscapes.unescape(raw, into: $0)
        }
    }

    /// Returns true if the key at an index has this text. The text is UTF-8 without escapes.
    @inline(__always)
    func isKey(at index: Int, equalTo text: UnsafeBufferPointer<UInt8>) -> Bool {
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

    /// Returns the JSON Pointer of a value. The function searches from the root, which is slow.
    /// Call the function only to describe an error.
    func pointer(to target: Int) -> String {
        CodingPathCache().codingPath(to: target, in: self).jsonPointer
    }
}

/// Returns true if two sequences of `count` bytes are equal. Sequences of at most 64 bytes, such as
/// names, are compared without a call of the C library, which would be slower.
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
    /// The maximum number of keys of an object that are compared pair by pair. If an object has
    /// more keys, a hash table finds duplicates.
    private static let pairwiseKeysMax = 12

    /// Returns the index of the second of two equal keys in an object; `nil` if all keys differ. No
    /// value may follow the object on the tape.
    func duplicateKeyIndex(in object: Int) -> Int? {
        let keys = Int(entries[object].detail)
        return keys <= Self.pairwiseKeysMax
            ? duplicateKeyIndexByPairs(in: object) : duplicateKeyIndexByTable(in: object, keys)
    }

    private func duplicateKeyIndexByPairs(in object: Int) -> Int? {
        var key = object &+ 1
        while key < entryCount {
            let hash = entries[key].nextOrHash
            var earlier = object &+ 1
            while earlier < key {
                if entries[earlier].nextOrHash == hash, isSameKey(earlier, key) { return key }
                earlier = Int(entries[earlier &+ 1].nextOrHash)
            }
            key = Int(entries[key &+ 1].nextOrHash)
        }
        return nil
    }

    /// Finds a duplicate key through a hash table with open addressing. The hash has a random seed,
    /// so that a client cannot compute keys that collide.
    private func duplicateKeyIndexByTable(in object: Int, _ keys: Int) -> Int? {
        var size = 32
        while size < keys * 2 { size *= 2 }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table -> Int? in
            table.initialize(repeating: 0)
            var key = object &+ 1
            while key < entryCount {
                var slot = seededHash(of: key) & (size &- 1)
                while table[slot] != 0 {
                    let earlier = Int(table[slot])
                    if entries[earlier].nextOrHash == entries[key].nextOrHash,
                        isSameKey(earlier, key)
                    {
                        return key
                    }
                    slot = (slot &+ 1) & (size &- 1)
                }
                table[slot] = UInt32(truncatingIfNeeded: key)
                key = Int(entries[key &+ 1].nextOrHash)
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
        if entries[a].detail == 0 { return isKey(at: b, equalTo: rawString(at: a)) }
        if entries[b].detail == 0 { return isKey(at: a, equalTo: rawString(at: b)) }
        return string(at: a).utf8.elementsEqual(string(at: b).utf8)
    }
}
