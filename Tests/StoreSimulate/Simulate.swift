import Glibc
import StoreSimulator

/// Runs `make simulate`: one seed after the other, until a seed fails or the run is stopped.
///
/// `SEED` names one seed to run, and `STEPS` is the number of steps of each seed. `SEEDS` is the
/// number of seeds from `FIRST` on, and `EVERY` is the distance of two seeds: `FIRST=3 EVERY=6`
/// runs the store of a team alone. With `SHORT` a failure is not shrunk. With `PEERS` several
/// servers of one history are run: 1,000 seeds of 100 steps, unless the other variables differ.
@main
struct Simulate {
    static func main() {
        if getenv("PEERS") != nil { exit(runPeers() ? 0 : 1) }
        let steps = number("STEPS") ?? 10_000
        if let seed = number("SEED") {
            exit(run(UInt64(seed), steps) ? 0 : 1)
        }
        let first = UInt64(number("FIRST") ?? Int(UInt32.random(in: .min ... .max)))
        let seeds = number("SEEDS") ?? .max
        let every = UInt64(number("EVERY") ?? 1)
        var seed = first
        var done = 0
        while done < seeds {
            guard run(seed, steps) else { exit(1) }
            done += 1
            if done.isMultiple(of: 10) { output("\(done * steps) steps hold, up to seed \(seed)") }
            seed += every
        }
        output("\(done * steps) steps hold, from seed \(first) to \(seed - every)")
    }

    /// Runs a seed; reports a failure.
    private static func run(_ seed: UInt64, _ steps: Int) -> Bool {
        let outcome = Simulator.run(
            seed: seed,
            steps: steps,
            repeats: seed % 16 == 0,
            shrinks: number("SHORT") == nil
        )
        // Each seed also runs a history through a dozen starts of several editions of a program.
        guard let failure = outcome.failure ?? Simulator.runEditions(seed: seed, steps: 12).failure
        else { return true }
        output(failure)
        return false
    }

    /// Runs several servers of one history; reports the result.
    private static func runPeers() -> Bool {
        let steps = number("STEPS") ?? 100
        let first = UInt64(number("SEED") ?? number("FIRST") ?? 1)
        let seeds = UInt64(number("SEED") == nil ? number("SEEDS") ?? 1_000 : 1)
        var (versions, conflicts) = (UInt64(0), 0)
        for seed in first..<first + seeds {
            let outcome = Simulator.runPeers(seed: seed, steps: steps)
            if let failure = outcome.failure {
                output("\(failure)\nagain: make simulate PEERS=1 SEED=\(seed) STEPS=\(steps)")
                return false
            }
            versions += outcome.versions
            conflicts += outcome.conflicts
        }
        output(
            "\(seeds) seeds of several servers hold, from \(first): \(versions) versions, "
                + "\(conflicts) conflicts"
        )
        return true
    }

    /// Writes a line at once, also if the output is no terminal.
    private static func output(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }
}
