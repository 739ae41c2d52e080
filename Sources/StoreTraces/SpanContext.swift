/// A place in a trace, as `traceparent` names it (W3C Trace Context, version 00): which trace,
/// which of its spans, and whether the trace is sampled.
package struct SpanContext: Sendable, Equatable {
    /// The bytes of a `traceparent` of version 00.
    package static let traceparentBytes = 55

    /// The trace.
    package let trace: TraceID
    /// The span, never 0.
    package let span: UInt64
    /// Whether the program that began the trace has it recorded.
    package let isSampled: Bool

    /// Reads the value of a `traceparent` field: hexadecimal digits in small letters, a trace and a
    /// span that are not zero, and flags. `nil` where it is none. Allocates nothing.
    package init?(traceparent bytes: some Sequence<UInt8>) {
        var reader = HexReader(bytes.makeIterator())
        guard reader.number(digits: 2) == 0, reader.takes("-"),
            let high = reader.number(digits: 16), let low = reader.number(digits: 16),
            reader.takes("-"), let span = reader.number(digits: 16), reader.takes("-"),
            let flags = reader.number(digits: 2), reader.isAtEnd,
            high | low != 0, span != 0
        else { return nil }
        trace = TraceID(high: high, low: low)
        self.span = span
        isSampled = flags & 1 == 1
    }
}

/// The name of a trace: 16 bytes that are not all zero.
package struct TraceID: Sendable, Hashable {
    /// The first eight bytes.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A name that no other trace has.
    package static func random() -> TraceID {
        TraceID(high: .random(in: .min ... .max), low: .random(in: 1 ... .max))
    }

    /// 32 hexadecimal digits.
    package var text: String { high.hex + low.hex }
}

extension UInt64 {
    /// 16 hexadecimal digits, as spans are named.
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

/// Reads hexadecimal digits in small letters, one number after the other.
private struct HexReader<Bytes: IteratorProtocol<UInt8>> {
    private var bytes: Bytes

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// Whether nothing follows.
    var isAtEnd: Bool {
        mutating get { bytes.next() == nil }
    }

    /// Takes a byte; returns whether it is this one.
    mutating func takes(_ byte: Unicode.Scalar) -> Bool { bytes.next() == UInt8(ascii: byte) }

    /// Takes at most 16 digits; `nil` where there are fewer.
    mutating func number(digits: Int) -> UInt64? {
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
