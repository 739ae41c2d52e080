extension JSONTape {
    /// Parses a whole document, strictly by RFC 8259.
    ///
    /// The parser uses no recursion, so deep nesting cannot exhaust the stack. Cost: one pass over
    /// the bytes.
    ///
    /// - Throws: ``JSONError`` with the offset of the error.
    func parse(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits) throws(JSONError) {
        guard bytes.count <= limits.bytesMax else {
            throw JSONError(
                code: .tooLarge,
                offset: limits.bytesMax,
                message: "The document has \(bytes.count) bytes; at most \(limits.bytesMax) are "
                    + "allowed."
            )
        }
        load(bytes)
        var parser = JSONParser(tape: self, depthMax: limits.depthMax)
        try parser.parse()
    }
}

/// The parser of one document. The parser appends an entry to the tape for each key and value.
struct JSONParser {
    private let tape: JSONTape
    private let source: UnsafeMutablePointer<UInt8>
    private let count: Int
    private let depthMax: Int
    private var position = 0
    /// The index of the innermost open container; -1 if no container is open. As long as a
    /// container is open, the `end` of its entry holds the index of the enclosing container.
    private var openContainerIndex = -1
    private var depth = 0

    init(tape: JSONTape, depthMax: Int) {
        self.tape = tape
        source = tape.source
        count = tape.sourceByteCount
        self.depthMax = depthMax
    }

    mutating func parse() throws(JSONError) {
        skipSpace()
        try beginValue()
        while openContainerIndex >= 0 {
            skipSpace()
            let isObject = source[Int(tape.entries[openContainerIndex].start)] == UInt8(ascii: "{")
            let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            let isFirst = tape.entries[openContainerIndex].detail == 0
            if source[position] == close {
                position &+= 1
                try closeContainer(isObject: isObject)
                continue
            }
            if !isFirst {
                guard source[position] == UInt8(ascii: ",") else {
                    throw errorExpecting(isObject ? "',' or '}'" : "',' or ']'")
                }
                position &+= 1
                skipSpace()
            }
            tape.entries[openContainerIndex].detail &+= 1
            if isObject { try parseKey(isFirst: isFirst) }
            try beginValue()
        }
        skipSpace()
        guard position == count else { throw errorExpecting("the end of the document") }
    }

    /// Reads a whole scalar, or only the opening bracket of a container.
    @inline(__always)
    private mutating func beginValue() throws(JSONError) {
        let start = position
        switch source[start] {
        case UInt8(ascii: "\""): try parseString(isKey: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < depthMax else {
                throw JSONError(
                    code: .tooDeep,
                    offset: start,
                    message: "The document nests deeper than \(depthMax) levels."
                )
            }
            position &+= 1
            depth &+= 1
            let index = tape.entryCount
            tape.append(start: start, end: openContainerIndex, nextOrHash: 0, detail: 0)
            openContainerIndex = index
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
        case UInt8(ascii: "t"): try parseLiteral("true")
        case UInt8(ascii: "f"): try parseLiteral("false")
        case UInt8(ascii: "n"): try parseLiteral("null")
        default: throw errorExpecting("a value")
        }
    }

    private mutating func parseKey(isFirst: Bool) throws(JSONError) {
        guard source[position] == UInt8(ascii: "\"") else {
            throw errorExpecting(isFirst ? "a key in quotes or '}'" : "a key in quotes")
        }
        try parseString(isKey: true)
        skipSpace()
        guard source[position] == UInt8(ascii: ":") else { throw errorExpecting("':'") }
        position &+= 1
        skipSpace()
    }

    private mutating func closeContainer(isObject: Bool) throws(JSONError) {
        let container = openContainerIndex
        // The field `end` has 32 bits and no sign. The conversion to a signed number restores -1,
        // which stands for no enclosing container.
        self.openContainerIndex = Int(Int32(bitPattern: tape.entries[container].end))
        depth &-= 1
        tape.entries[container].end = UInt32(truncatingIfNeeded: position)
        tape.entries[container].nextOrHash = UInt32(truncatingIfNeeded: tape.entryCount)
        guard isObject else { return }
        if tape.entries[container].detail > 1, let duplicate = tape.duplicateKeyIndex(in: container)
        {
            throw JSONError(
                code: .malformed,
                offset: Int(tape.entries[duplicate].start),
                message: "The key \"\(tape.string(at: duplicate).prefix(64))\" occurs twice in one "
                    + "object."
            )
        }
        tape.entries[container].detail = UInt32(truncatingIfNeeded: container &+ 1)
    }

    @inline(__always)
    private mutating func skipSpace() {
        while true {
            switch source[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position &+= 1
            default: return
            }
        }
    }

    private mutating func parseLiteral(_ text: StaticString) throws(JSONError) {
        let start = position
        for offset in 0..<text.utf8CodeUnitCount
        where source[start + offset] != text.utf8Start[offset] {
            position = start + offset
            throw errorExpecting("\(text)")
        }
        position = start + text.utf8CodeUnitCount
        tape.append(start: start, end: position, nextOrHash: tape.indexAfterNext, detail: 0)
    }

    private mutating func parseNumber() throws(JSONError) {
        let start = position
        var at = start
        var isInteger: UInt32 = 1
        if source[at] == UInt8(ascii: "-") { at &+= 1 }
        at = source[at] == UInt8(ascii: "0") ? at &+ 1 : try skipDigits(from: at)
        if source[at] == UInt8(ascii: ".") {
            isInteger = 0
            at = try skipDigits(from: at &+ 1)
        }
        if source[at] | 0x20 == UInt8(ascii: "e") {
            isInteger = 0
            at &+= 1
            if source[at] == UInt8(ascii: "+") || source[at] == UInt8(ascii: "-") { at &+= 1 }
            at = try skipDigits(from: at)
        }
        position = at
        tape.append(start: start, end: at, nextOrHash: tape.indexAfterNext, detail: isInteger)
    }

    /// Skips one or more digits. Returns the offset after the digits. Throws an error if there is
    /// no digit.
    @inline(__always)
    private mutating func skipDigits(from start: Int) throws(JSONError) -> Int {
        var at = start
        while source[at] &- UInt8(ascii: "0") < 10 { at &+= 1 }
        guard at > start else {
            position = at
            throw errorExpecting("a digit")
        }
        return at
    }

    private func errorExpecting(_ expected: String) -> JSONError {
        let found: String
        if position >= count {
            found = "the document ends"
        } else if 0x21...0x7E ~= source[position] {
            found = "there is '\(Character(UnicodeScalar(source[position])))'"
        } else {
            found = "there is byte 0x\(String(source[position], radix: 16, uppercase: true))"
        }
        return JSONError(
            code: .malformed,
            offset: min(position, count),
            expected: expected,
            message: "At byte \(min(position, count)) \(found) where \(expected) is expected."
        )
    }
}

extension JSONParser {
    /// Reads a string, and validates its escapes and its UTF-8 (RFC 3629).
    private mutating func parseString(isKey: Bool) throws(JSONError) {
        let start = position
        var at = start &+ 1
        var hasEscapes: UInt32 = 0
        scan: while true {
            // Scan eight bytes at once, as long as all of them are ASCII characters that need no
            // escape.
            let word = UnsafeRawPointer(source + at).loadUnaligned(as: UInt64.self)
            let special = JSONText.specialByteMask(in: word) | (word & JSONText.highBits)
            if special == 0 {
                at &+= 8
                continue
            }
            at &+= special.trailingZeroBitCount >> 3
            let byte = source[at]
            switch byte {
            case UInt8(ascii: "\""): break scan
            case UInt8(ascii: "\\"):
                hasEscapes = 1
                at = try skipEscape(at: at)
            case 0x80...:
                guard let length = JSONText.sequenceLength(source + at) else {
                    throw malformedError(at, "The bytes from \(at) on are not UTF-8.")
                }
                at &+= length
            default:
                throw at < count
                    ? malformedError(at, "A control character must be escaped within a string.")
                    : malformedError(count, "The document ends within a string.")
            }
        }
        position = at &+ 1
        let next: UInt32
        if isKey {
            next = hasEscapes == 0 ? JSONText.hash(source + start + 1, at &- start &- 1) : 0
        } else {
            next = tape.indexAfterNext
        }
        let index = tape.entryCount
        tape.append(start: start, end: position, nextOrHash: next, detail: hasEscapes)
        if isKey, hasEscapes != 0 {
            var text = tape.string(at: index)
            tape.entries[index].nextOrHash = text.withUTF8 { buffer in
                buffer.baseAddress.map { JSONText.hash($0, buffer.count) } ?? JSONText.emptyHash
            }
        }
    }

    /// Validates the escape that begins with the backslash at an offset. Returns the offset after
    /// the escape.
    private func skipEscape(at: Int) throws(JSONError) -> Int {
        switch source[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            let all = UnsafeBufferPointer(start: source, count: count)
            guard let first = JSONEscapes.hexCodeUnit(in: all, at: at + 2) else {
                throw malformedError(at, "\\u needs four hexadecimal digits.")
            }
            switch first {
            case 0xD800...0xDBFF:
                guard at + 12 <= count, source[at + 6] == UInt8(ascii: "\\"),
                    source[at + 7] == UInt8(ascii: "u"),
                    let second = JSONEscapes.hexCodeUnit(in: all, at: at + 8),
                    0xDC00...0xDFFF ~= second
                else {
                    throw malformedError(
                        at,
                        "A trailing surrogate must follow a leading "
                            + "surrogate."
                    )
                }
                return at + 12
            case 0xDC00...0xDFFF: throw malformedError(at, "A trailing surrogate stands alone.")
            default: return at + 6
            }
        default: throw malformedError(at, "There is no such escape in JSON.")
        }
    }

    private func malformedError(_ offset: Int, _ message: String) -> JSONError {
        JSONError(code: .malformed, offset: min(offset, count), message: message)
    }
}
