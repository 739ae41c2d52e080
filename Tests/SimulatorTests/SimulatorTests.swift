import Simulator
import Testing

/// Random programs, each from a seed: after every step the store is what a plain reading of the journal
/// says, to everyone who can look at it.
@Suite(.serialized) struct SimulatorTests {
    /// How many steps a seed has here; `make simulate` runs more.
    static let steps = 150

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `what is not applied leaves no trace, and what is has its own consequences`(
        seed: UInt64
    ) {
        let outcome = Simulator.run(seed: seed, steps: Self.steps, repeats: true)
        #expect(outcome.failure == nil, Comment(rawValue: outcome.failure ?? ""))
    }

    @Test func `the same holds for a seed that nobody has chosen`() {
        let seed = UInt64(UInt32.random(in: .min ... .max))
        print("simulated seed: \(seed)")
        let outcome = Simulator.run(seed: seed, steps: Self.steps)
        #expect(outcome.failure == nil, Comment(rawValue: outcome.failure ?? ""))
    }
}
