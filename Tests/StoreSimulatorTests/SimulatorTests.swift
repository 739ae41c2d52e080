import Dispatch
import StoreSimulator
import Testing

/// Random programs, each from a seed. After every step the store matches a plain reading of the
/// journal, for each reader.
@Suite(.serialized) struct SimulatorTests {
    /// The number of steps of a seed here; `make simulate` runs more.
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

    /// Runs a seed on a thread of its own. A run takes seconds, and other tests need the threads of
    /// the pool.
    private func failure(of seed: UInt64, repeats: Bool) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "simulator").async {
                let outcome = Simulator.run(seed: seed, steps: Self.steps, repeats: repeats)
                continuation.resume(returning: outcome.failure)
            }
        }
    }
}
