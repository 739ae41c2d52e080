import Dispatch
import StoreSimulator
import Testing

/// Random programs, each from a seed: after every step the store is what a plain reading of the
/// journal says, to everyone who can look at it.
@Suite(.serialized) struct SimulatorTests {
    /// How many steps a seed has here; `make simulate` runs more.
    static let steps = 150

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `unapplied actions leave no trace, and applied actions have theirs`(
        seed: UInt64
    ) async {
        let failure = await failure(of: seed, repeats: true)
        #expect(failure == nil, Comment(rawValue: failure ?? ""))
    }

    @Test func `a random seed keeps the promises, too`() async {
        let seed = UInt64(UInt32.random(in: .min ... .max))
        print("simulated seed: \(seed)")
        let failure = await failure(of: seed, repeats: false)
        #expect(failure == nil, Comment(rawValue: failure ?? ""))
    }

    /// Runs a seed on a thread of its own: it takes seconds, and other tests need those of the
    /// pool.
    private func failure(of seed: UInt64, repeats: Bool) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "simulator").async {
                let outcome = Simulator.run(seed: seed, steps: Self.steps, repeats: repeats)
                continuation.resume(returning: outcome.failure)
            }
        }
    }
}
