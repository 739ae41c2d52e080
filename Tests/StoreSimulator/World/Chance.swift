/// Random choices from a seed: the same seed gives the same choices (SplitMix64).
struct Chance {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Separate choices for the step of a number; choices of other steps do not change them.
    init(seed: UInt64, step: Int) {
        self.init(seed: seed &* 0x2545_F491_4F6C_DD1D)
        state ^= next() &+ UInt64(bitPattern: Int64(step)) &* 0xD6E8_FEB8_6659_FD93
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number below `count`, which is at least 1.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Returns true in `hits` of `count` cases.
    mutating func happens(_ hits: Int, in count: Int) -> Bool { below(count) < hits }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// Returns one of several values, by their weights.
    mutating func pick<Value>(_ values: [(weight: Int, value: Value)]) -> Value {
        var left = below(values.reduce(0) { $0 + $1.weight })
        for (weight, value) in values {
            if left < weight { return value }
            left -= weight
        }
        return values[0].value
    }
}
