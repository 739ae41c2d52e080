import StorePlatform
import Synchronization

/// Random numbers for tests, the same in every run: the generator SplitMix64 with a seed. Any
/// thread may take the next number.
///
/// ```swift
/// dependencies.set(RandomKey.self, to: SeededRandom(seed: 7).next)
/// ```
public final class SeededRandom: RandomNumberGenerator, Sendable {
    private let state: Locked<UInt64>

    /// Makes a source; the same seed always gives the same numbers.
    public init(seed: UInt64) {
        state = Locked(seed)
    }

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
