/// The clock that effects pause on.
public enum ClockKey: DependencyKey {
    /// The machine's clock, which does not jump.
    public static let live: any Clock<Duration> = ContinuousClock()
}

/// The time of day.
public enum WallClockKey: DependencyKey {
    /// The machine's time of day.
    public static let live: any WallClock = SystemClock()
}

/// A source of random numbers: each call gives 64 random bits.
public enum RandomKey: DependencyKey {
    /// The system's generator.
    public static let live: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
}

/// A generator of identifiers that are unique everywhere.
public enum UUIDKey: DependencyKey {
    /// Makes random identifiers (RFC 9562, version 4), in lowercase letters.
    public static let live: @Sendable () -> String = {
        uuid(.random(in: .min ... .max), .random(in: .min ... .max))
    }

    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let words = [high & ~0xF000 | 0x4000, low & ~(3 << 62) | (2 << 62)]
        var text: [UInt8] = []
        for (index, word) in words.enumerated() {
            for place in 0..<16 {
                if [8, 12].contains(place) && index == 0 || [0, 4].contains(place) && index == 1 {
                    text.append(UInt8(ascii: "-"))
                }
                text.append(digits[Int(word >> UInt64(60 - 4 * place) & 0xF)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Dependencies {
    /// The clock that effects pause on. A test sets a manual clock; without one, this throws.
    public var clock: any Clock<Duration> {
        get throws { try self[ClockKey.self] }
    }

    /// The time of day, in nanoseconds since 1970.
    public var now: Int64 {
        get throws { try self[WallClockKey.self].now() }
    }

    /// 64 random bits.
    public func random() throws -> UInt64 { try self[RandomKey.self]() }

    /// A new identifier.
    public func uuid() throws -> String { try self[UUIDKey.self]() }
}
