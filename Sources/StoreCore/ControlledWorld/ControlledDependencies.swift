import StorePlatform
import Synchronization

extension Dependencies {
    /// Makes the dependencies of effects in a test. The test moves the clock, random numbers come
    /// from a seed, and identifiers count up. An effect that uses a dependency without a value gets
    /// an error with the dependency's name.
    public static func controlled(
        by clock: ManualClock = ManualClock(),
        seed: UInt64 = 0
    ) -> Dependencies {
        Dependencies.unprepared.controlled(by: clock, seed: seed)
    }

    /// Returns these dependencies with the time, the random numbers and the identifiers of
    /// ``controlled(by:seed:)-(_,UInt64)``.
    package func controlled(by clock: ManualClock, seed: UInt64 = 0) -> Dependencies {
        self.setting(ClockKey.self, to: clock)
            .setting(WallClockKey.self, to: clock.timeOfDay)
            .setting(RandomKey.self, to: SeededRandom(seed: seed).next)
            .setting(UUIDKey.self, to: CountedUUIDs().next)
    }
}

/// A source of random numbers for tests: the generator SplitMix64 with a seed. The numbers are the
/// same in every run. Any thread may take the next number.
///
/// ```swift
/// dependencies.set(RandomKey.self, to: SeededRandom(seed: 7).next)
/// ```
public final class SeededRandom: RandomNumberGenerator, Sendable {
    private let state: Locked<UInt64>

    /// Makes a source; the same seed always gives the same numbers.
    public init(seed: UInt64) { state = Locked(seed) }

    /// Returns the next 64 bits.
    @Sendable public func next() -> UInt64 {
        state.withLock { state in
            // The constants and the shifts of SplitMix64 (Steele, Lea and Flood, 2014).
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

/// A source of counted identifiers: `00000000-0000-0000-0000-000000000001`, then `…2`.
///
/// ```swift
/// dependencies.set(UUIDKey.self, to: CountedUUIDs().next)
/// ```
public final class CountedUUIDs: Sendable {
    private let lastNumber = Atomic<UInt64>(0)

    /// Makes a source whose first identifier has the number 1.
    public init() {}

    /// Returns the next identifier.
    @Sendable public func next() -> String {
        Self.uuid(lastNumber.add(1, ordering: .relaxed).newValue)
    }

    /// Returns the identifier whose last 12 digits are this number in hexadecimal. Drops the bits
    /// above the lowest 48.
    public static func uuid(_ number: UInt64) -> String {
        let digits = String(number & 0xFFFF_FFFF_FFFF, radix: 16)
        return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count)
            + digits
    }
}
