/// A position in a trace, as in `traceparent` (W3C Trace Context, version 00): the trace, the span,
/// and the sampled flag.
package struct SpanContext: Sendable, Equatable {
    /// The number of bytes of a `traceparent` of version 00.
    package static let traceparentBytesCount = 55

    /// The `traceparent` of the current task, for the requests that the task sends; `nil` if the
    /// task has no trace.
    @TaskLocal package static var currentTraceparent: String?

    package let trace: TraceID
    /// The id of the span, never 0.
    package let spanID: UInt64
    /// True if the program that began the trace records the trace.
    package let isSampled: Bool

    /// Reads the value of a `traceparent` field. The value has lower-case hexadecimal digits for a
    /// trace, a span and flags; trace and span are not zero. Returns `nil` for any other value.
    /// Allocates no memory.
    package init?(traceparent bytes: some Sequence<UInt8>) {
        var reader = HexReader(bytes.makeIterator())
        guard reader.takeNumber(digits: 2) == 0, reader.skip("-"),
            let high = reader.takeNumber(digits: 16), let low = reader.takeNumber(digits: 16),
            reader.skip("-"), let span = reader.takeNumber(digits: 16), reader.skip("-"),
            let flags = reader.takeNumber(digits: 2), reader.takeEnd(), high | low != 0, span != 0
        else { return nil }
        trace = TraceID(high: high, low: low)
        self.spanID = span
        isSampled = flags & 1 == 1
    }
}

/// The id of a trace: 16 bytes that are not all zero.
package struct TraceID: Sendable, Hashable {
    /// The first eight bytes.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a random id, which no other trace has in practice.
    package static func random() -> TraceID {
        TraceID(high: .random(in: .min ... .max), low: .random(in: 1 ... .max))
    }

    /// The id as 32 hexadecimal digits.
    package var text: String { high.hex + low.hex }
}

extension UInt64 {
    /// The number as 16 hexadecimal digits, as in the id of a span.
    package var hex: String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for place in 0..<16 {
                let nibble = UInt8(truncatingIfNeeded: self >> UInt64(60 - 4 * place)) & 15
                digits[place] = nibble < 10 ? 48 + nibble : 87 + nibble
            }
            return 16
        }
    }
}

/// A reader of numbers in lower-case hexadecimal digits.
private struct HexReader<Bytes: IteratorProtocol<UInt8>> {
    private var bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// Takes the next byte. Returns true if no byte follows.
    mutating func takeEnd() -> Bool { bytes.next() == nil }

    /// Takes a byte. Returns true if the taken byte is the given byte.
    mutating func skip(_ byte: Unicode.Scalar) -> Bool { bytes.next() == UInt8(ascii: byte) }

    /// Takes a number of at most 16 digits; `nil` if a byte is no digit, or is missing.
    mutating func takeNumber(digits: Int) -> UInt64? {
        var number: UInt64 = 0
        for _ in 0..<digits {
            switch bytes.next() {
            case let byte? where 48...57 ~= byte: number = number << 4 | UInt64(byte - 48)
            case let byte? where 97...102 ~= byte: number = number << 4 | UInt64(byte - 87)
            default: return nil
            }
        }
        return number
    }
}
