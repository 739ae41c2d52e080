import StoreSimulator
import Testing

/// A program in several editions takes one history, over crashes and clean stops.
@Suite struct EditionsTests {
    static let steps = 12
    static let seeds = 200

    @Test func `a program that reads all records goes on, and others are refused`() {
        var (refusals, starts) = (0, 0)
        for seed in 1...Self.seeds {
            let outcome = Simulator.runEditions(seed: UInt64(seed), steps: Self.steps)
            #expect(outcome.failure == nil)
            refusals += outcome.refusals
            starts += outcome.starts
        }
        // The test proves something only if there are refused and successful starts.
        #expect(refusals > Self.seeds && starts > Self.seeds)
    }
}
