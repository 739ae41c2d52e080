/// A growing buffer of bytes for JSON.
///
/// The encoder and ``JSONWriter`` write into this buffer. The buffer adds no commas or brackets.
package struct JSONOutput: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    package internal(set) var count = 0
    private var capacity: Int

    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 32)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    package var array: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    /// A copy of the written bytes, which threads can share.
    package var sharedBytes: Bytes {
        let written = bytes
        return Bytes(count: written.count) { $0.copyMemory(from: written) }
    }

    /// The written bytes, without a copy. The pointer is valid until the next write.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// The last written byte, or 0 if no byte is written.
    @inline(__always)
    var lastByte: UInt8 { count == 0 ? 0 : base[count &- 1] }

    /// Discards the bytes from `length` on. Frees the memory if the output is then empty and the
    /// memory is larger than `bytesMax`.
    package mutating func truncate(to length: Int = 0, freeingAbove bytesMax: Int = .max) {
        count = min(count, length)
        if capacity > bytesMax, count == 0 {
            base.deallocate()
            capacity = 256
            base = .allocate(capacity: capacity)
        }
    }

    @inline(__always)
    mutating func reserve(_ extra: Int) {
        if count &+ extra > capacity { grow(extra) }
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let needed = count + extra
        while capacity < needed { capacity *= 2 }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
    }

    @inline(__always)
    package mutating func byte(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    @inline(__always)
    package mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        // Keys and literals are short. For them, copies of eight bytes are faster than a call of
        // the C library.
        reserve(bytes.count &+ 8)
        let target = UnsafeMutableRawPointer(base + count)
        if bytes.count <= 32 {
            let source = UnsafeRawPointer(start)
            if bytes.count >= 8 {
                var offset = 0
                while offset &+ 8 < bytes.count {
                    Self.copy(UInt64.self, from: source, to: target, at: offset)
                    offset &+= 8
                }
                // Copy the last eight bytes. The loop may have copied some of them already.
                Self.copy(UInt64.self, from: source, to: target, at: bytes.count &- 8)
            } else if bytes.count >= 4 {
                Self.copy(UInt32.self, from: source, to: target, at: 0)
                Self.copy(UInt32.self, from: source, to: target, at: bytes.count &- 4)
            } else {
                for offset in 0..<bytes.count {
                    Self.copy(UInt8.self, from: source, to: target, at: offset)
                }
            }
        } else {
            target.copyMemory(from: start, byteCount: bytes.count)
        }
        count &+= bytes.count
    }

    @inline(__always)
    private static func copy<Word: BitwiseCopyable>(
        _ word: Word.Type,
        from source: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer,
        at offset: Int
    ) {
        target.storeBytes(
            of: source.loadUnaligned(fromByteOffset: offset, as: word),
            toByteOffset: offset,
            as: word
        )
    }

    /// Writes `length` bytes. Their memory has to be padded to a whole number of words.
    @inline(__always)
    mutating func writePaddedBytes(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length &+ 8)
        let source = UnsafeRawPointer(bytes)
        let target = UnsafeMutableRawPointer(base + count)
        var offset = 0
        while offset < length {
            Self.copy(UInt64.self, from: source, to: target, at: offset)
            offset &+= 8
        }
        count &+= length
    }

    /// Writes the lowest `length` bytes of a word, at most eight. The lowest byte comes first.
    @inline(__always)
    private mutating func word(_ word: UInt64, _ length: Int) {
        reserve(8)
        UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count &+= length
    }

    @inline(__always)
    mutating func null() { word(0x6C6C_756E, 4) }

    @inline(__always)
    mutating func bool(_ value: Bool) {
        value ? word(0x6575_7274, 4) : word(0x65_736C_6166, 5)
    }

    /// Writes text unchanged, without quotes and escapes: a literal or encoded JSON.
    package mutating func raw(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func raw(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ raw($0) }) == nil {
            for byte in bytes { self.byte(byte) }
        }
    }
}

extension JSONOutput {
    /// Writes a text as a JSON string with quotes. Only characters that must be escaped (RFC 8259
    /// §7) are escaped.
    package mutating func string(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ string($0) }) == nil {
            var text = text
            text.withUTF8 { string($0) }
        }
    }

    /// Writes UTF-8 as a JSON string with quotes and escapes.
    @inline(__always)
    mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        // Reserve room for the text and both quotes. Only escapes need more room.
        reserve(text.count &+ 16)
        base[count] = UInt8(ascii: "\"")
        count &+= 1
        if let start = text.baseAddress { writeStringContent(start, text.count) }
        byte(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func writeStringContent(_ start: UnsafePointer<UInt8>, _ length: Int) {
        let source = UnsafeRawPointer(start)
        var offset = 0
        while offset < length {
            if offset &+ 8 <= length {
                let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if JSONText.specialByteMask(in: word) == 0 {
                    UnsafeMutableRawPointer(base + count).storeBytes(of: word, as: UInt64.self)
                    count &+= 8
                    offset &+= 8
                    continue
                }
            }
            let byte = start[offset]
            offset &+= 1
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                base[count] = byte
                count &+= 1
            } else {
                writeEscape(of: byte)
                reserve(length &- offset &+ 16)
            }
        }
    }

    @inline(never)
    private mutating func writeEscape(of byte: UInt8) {
        self.byte(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self.byte(byte)
        case 0x0A: self.byte(UInt8(ascii: "n"))
        case 0x0D: self.byte(UInt8(ascii: "r"))
        case 0x09: self.byte(UInt8(ascii: "t"))
        case 0x08: self.byte(UInt8(ascii: "b"))
        case 0x0C: self.byte(UInt8(ascii: "f"))
        default:
            let digits: StaticString = "0123456789abcdef"
            raw("u00")
            self.byte(digits.utf8Start[Int(byte >> 4)])
            self.byte(digits.utf8Start[Int(byte & 15)])
        }
    }

    /// Writes a text without quotes and escapes. The function is not generic: another module cannot
    /// specialise a generic function, and would look up the type at run time.
    package mutating func rawText(_ text: String) {
        var text = text
        text.withUTF8 { raw($0) }
    }
}
