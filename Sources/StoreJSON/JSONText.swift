/// Functions for the bytes of JSON strings; the parser and the writer use them.
package enum JSONText {
    /// The hash of an empty key.
    static let emptyHash: UInt32 = 0x9E37_79B1

    /// Returns a word that marks the special bytes of `word`: quotes, backslashes and control
    /// characters. The highest bit of each special byte is set.
    ///
    /// Only the lowest set bit is reliable: the subtraction may also set the bits of bytes above
    /// it.
    @inline(__always)
    static func specialByteMask(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = word &- (ones &* 0x20)
        let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (found | (control & ~word)) & highBits
    }

    /// The highest bit of each byte of a word. In UTF-8, this bit is set in all bytes of characters
    /// beyond ASCII.
    static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns the length of the UTF-8 sequence of two or more bytes at `start`; `nil` if the
    /// sequence is invalid.
    ///
    /// Overlong forms, surrogates and values above U+10FFFF are invalid (RFC 3629).
    @inline(__always)
    static func sequenceLength(_ start: UnsafePointer<UInt8>) -> Int? {
        func continues(_ offset: Int) -> Bool { start[offset] & 0xC0 == 0x80 }
        switch start[0] {
        case 0xC2...0xDF: return continues(1) ? 2 : nil
        case 0xE0: return 0xA0...0xBF ~= start[1] && continues(2) ? 3 : nil
        case 0xED: return 0x80...0x9F ~= start[1] && continues(2) ? 3 : nil
        case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : nil
        case 0xF0: return 0x90...0xBF ~= start[1] && continues(2) && continues(3) ? 4 : nil
        case 0xF4: return 0x80...0x8F ~= start[1] && continues(2) && continues(3) ? 4 : nil
        case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : nil
        default: return nil
        }
    }

    /// Returns a hash of the bytes. The function is fast for short texts, such as most keys.
    @inline(__always)
    static func hash(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
        var hash = UInt64(emptyHash) &+ UInt64(truncatingIfNeeded: count)
        var offset = 0
        let start = UnsafeRawPointer(start)
        while offset &+ 8 <= count {
            hash =
                (hash ^ start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < count {
            rest = rest << 8 | UInt64(start.load(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
        }
        hash = (hash ^ rest) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: hash >> 32)
    }

    /// Returns a text as a JSON string, with its quotes.
    package static func quoted(_ text: String) -> String {
        var output = JSONOutput()
        output.string(text)
        return String(decoding: output.array, as: UTF8.self)
    }

    /// Returns the number of bytes of a text as a JSON string, with its quotes and escapes.
    package static func quotedByteCount(of text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var count = bytes.count + 2
            for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                count += bytesAddedByEscaping(byte)
            }
            return count
        }
    }

    /// Returns the number of bytes that escaping a byte adds to a JSON string.
    static func bytesAddedByEscaping(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 1
        case 0..<0x20: 5
        default: 0
        }
    }
}
