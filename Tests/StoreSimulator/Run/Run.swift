import Glibc

/// The steps of one seed, and their results.
struct Run<P: Program> {
    let seed: UInt64
    let steps: [Int]

    struct Failure {
        /// The step's place in the list.
        let place: Int
        let violation: Violation
        let story: [String]
    }

    struct Result {
        var failure: Failure?
        var hash: UInt64 = 0
        var versions: UInt64 = 0
        var story: [String] = []
    }

    func result(isVerbose: Bool = false) -> Result {
        var place = 0
        var simulation: Simulation<P>?
        do {
            let made = try Simulation<P>(seed: seed, isVerbose: isVerbose)
            simulation = made
            for step in steps {
                made.note("step \(step)")
                try made.step(step)
                place += 1
            }
            try made.end()
            return Result(
                hash: made.journalHash,
                versions: made.naive.version,
                story: made.story ?? []
            )
        } catch {
            let violation = error as? Violation ?? Violation(.trap, "\(error)")
            let story = simulation?.story ?? []
            return Result(failure: Failure(place: place, violation: violation, story: story))
        }
    }

    /// Returns a run with the same failure and the fewest steps that `triesMax` tries find.
    func shrunk(_ failure: Failure, triesMax: Int = 400) -> Run {
        var steps = Array(steps.prefix(failure.place + 1))
        var tries = 0
        var size = max(1, steps.count / 2)
        while size >= 1, tries < triesMax {
            var start = 0
            while start < steps.count, tries < triesMax {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                tries += 1
                let again = Run(seed: seed, steps: fewer).result().failure
                if let again, again.violation.property == failure.violation.property {
                    steps = Array(fewer.prefix(again.place + 1))
                } else {
                    start += size
                }
            }
            if size == 1 { break }
            size /= 2
        }
        return Run(seed: seed, steps: steps)
    }

    /// Returns the first difference between two runs of the same steps, with the lines before it.
    func parting() -> String {
        let (first, second) = (result(isVerbose: true).story, result(isVerbose: true).story)
        let place = zip(first, second).prefix { $0 == $1 }.count
        let before = first[max(0, place - 20)..<place].joined(separator: "\n    ")
        let (one, other) = (first.dropFirst(place).first, second.dropFirst(place).first)
        return "    \(before)\n  => \(one ?? "the end")\n  or \(other ?? "the end")"
    }

    /// Returns the text of a failure, with the steps that lead to it.
    func report(_ failure: Failure, named name: String, count: Int) -> String {
        let short = shrunk(failure)
        let shortest = short.result(isVerbose: true).failure ?? failure
        return """
            \(name): seed \(seed) fails in step \(steps[min(failure.place, steps.count - 1)]): \
            \(failure.violation)
            \(short.steps.count) steps are enough:
            \(shortest.story.map { "    " + $0 }.joined(separator: "\n"))
              => \(shortest.violation)
            again: make simulate SEED=\(seed) STEPS=\(count)
            """
    }
}
