/// Variants of one job, measured by turns, so that a slow phase of the machine affects all of them.
public struct Race {
    /// One way of doing the job.
    public struct Variant {
        let name: String
        let work: () -> Void

        /// Makes a variant; `work` does the job once.
        public init(_ name: String, work: @escaping () -> Void) {
            self.name = name
            self.work = work
        }
    }

    /// The time of one job, in nanoseconds: the median over the rounds.
    public struct Result {
        /// The variant's name.
        public let name: String
        /// The median of the rounds.
        public let nanoseconds: Double
    }

    private let rounds: Int
    private let slice: Duration

    /// Makes a race of `rounds` rounds. In each round, each variant works for `slice`.
    public init(rounds: Int = 7, slice: Duration = .milliseconds(60)) {
        self.rounds = rounds
        self.slice = slice
    }

    /// Runs all variants. Returns the results in the order of the variants.
    public func run(_ variants: [Variant]) -> [Result] {
        let clock = ContinuousClock()
        let counts = variants.map { variant in
            variant.work()
            var count = 1
            while true {
                let time = clock.measure { for _ in 0..<count { variant.work() } }
                if time >= slice / 4 { return max(1, Int(Double(count) * (slice / time))) }
                count *= 2
            }
        }
        var times = variants.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, variant) in variants.enumerated() {
                let count = counts[index]
                let time = clock.measure { for _ in 0..<count { variant.work() } }
                times[index].append(time / .nanoseconds(1) / Double(count))
            }
        }
        return zip(variants, times).map {
            Result(name: $0.name, nanoseconds: $1.sorted()[rounds / 2])
        }
    }
}

/// Hides from the optimiser that a result is not used.
@inline(never)
public func keep<T>(_ value: T) {}
