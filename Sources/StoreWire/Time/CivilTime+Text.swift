extension CivilTime {
    /// The precision of ``rfc3339(_:)``; finer digits are cut off, never rounded up.
    package enum Precision: Int, Sendable {
        case seconds = 0
        case milliseconds = 3
        case microseconds = 6
        case nanoseconds = 9
    }

    /// Returns the moment in the form of RFC 3339, in UTC: `2026-11-21T03:07:09.123Z`.
    ///
    /// The texts of one precision sort in the order of their times.
    package func rfc3339(_ precision: Precision = .milliseconds) -> String {
        String(unsafeUninitializedCapacity: 30) { buffer in
            var text = DigitWriter(buffer: buffer)
            text.date(self)
            text.put("T")
            text.clock(self)
            if precision != .seconds {
                text.put(".")
                text.decimal(nanosecond / precision.divisor, digits: precision.rawValue)
            }
            text.put("Z")
            return text.count
        }
    }

    /// The moment in the form of HTTP headers, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    package var httpDate: String {
        String(unsafeUninitializedCapacity: 29) { buffer in
            var text = DigitWriter(buffer: buffer)
            text.name(weekday, of: "SunMonTueWedThuFriSat")
            text.put(",")
            text.put(" ")
            text.decimal(day, digits: 2)
            text.put(" ")
            text.name(month - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec")
            text.put(" ")
            text.decimal(year, digits: 4)
            text.put(" ")
            text.clock(self)
            for byte in " GMT".utf8 { text.put(byte) }
            return text.count
        }
    }
}

extension CivilTime.Precision {
    fileprivate var divisor: Int {
        switch self {
        case .seconds: 1_000_000_000
        case .milliseconds: 1_000_000
        case .microseconds: 1_000
        case .nanoseconds: 1
        }
    }
}

/// Writes numbers of a fixed width into the buffer of a new string.
private struct DigitWriter {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func put(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    mutating func put(_ scalar: Unicode.Scalar) {
        put(UInt8(ascii: scalar))
    }

    mutating func decimal(_ value: Int, digits: Int) {
        var rest = value
        for index in stride(from: count + digits - 1, through: count, by: -1) {
            buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += digits
    }

    mutating func date(_ time: CivilTime) {
        decimal(time.year, digits: 4)
        put("-")
        decimal(time.month, digits: 2)
        put("-")
        decimal(time.day, digits: 2)
    }

    mutating func clock(_ time: CivilTime) {
        decimal(time.hour, digits: 2)
        put(":")
        decimal(time.minute, digits: 2)
        put(":")
        decimal(time.second, digits: 2)
    }

    /// Copies the `index`th name of three letters.
    mutating func name(_ index: Int, of names: StaticString) {
        for offset in 3 * index..<3 * index + 3 { put(names.utf8Start[offset]) }
    }
}
