import Dispatch
import StoreSimulator
import Testing

/// Several servers of one history, each seed with another program and another interleaving.
@Suite(.serialized) struct PeersTests {
    /// The number of steps of a seed here; `make simulate` runs more.
    static let steps = 60
    static let seeds = 60

    @Test func `servers of a history end with equal states, and each action is there once`() async {
        let (failure, conflicts) = await withCheckedContinuation { continuation in
            DispatchQueue(label: "peers").async { continuation.resume(returning: Self.run()) }
        }
        #expect(failure == nil, Comment(rawValue: failure ?? ""))
        // The test proves something only if there are conflicts.
        #expect(conflicts > Self.seeds)
    }

    private static func run() -> (failure: String?, conflicts: Int) {
        var conflicts = 0
        for seed in 1...seeds {
            let outcome = Simulator.runPeers(seed: UInt64(seed), steps: steps)
            if let failure = outcome.failure { return (failure, conflicts) }
            conflicts += outcome.conflicts
        }
        return (nil, conflicts)
    }
}
