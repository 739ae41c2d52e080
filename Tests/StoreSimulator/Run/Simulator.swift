/// Runs simulations: of the shipped store, and of the simulator's own store.
package enum Simulator {
    /// The result of one seed.
    package struct Outcome {
        /// The failure, with the steps that lead to it; `nil` if all properties held.
        package let failure: String?
        /// The property that fails.
        package let property: String?
        /// The number of applied actions.
        package let versions: UInt64
    }

    /// Runs steps of a seed: of an even seed on the simulator's own store, and of an odd seed on
    /// the shipped store. Every third odd seed runs on the store of a team instead. A run with
    /// `repeats` does the steps twice, and both must give the same journal.
    package static func run(
        seed: UInt64,
        steps: Int,
        repeats: Bool = false,
        shrinks: Bool = true
    ) -> Outcome {
        Workshop.$hasReducer.withValue(hasReducer(seed)) {
            if seed.isMultiple(of: 2) {
                return run(WorkshopProgram.self, "workshop", seed, steps, repeats, shrinks)
            }
            // A team has roles, which these seeds have.
            guard seed / 2 % 3 == 1 else {
                return run(ShopProgram.self, "shop", seed, steps, repeats, shrinks)
            }
            return TeamProgram.$operatorReads.withValue(seed / 2 % 5 == 4) {
                run(TeamProgram.self, "team", seed, steps, repeats, shrinks)
            }
        }
    }

    /// True if the simulator's own store has a reducer of the whole state: for a third of its
    /// seeds.
    static func hasReducer(_ seed: UInt64) -> Bool { seed / 2 % 3 == 0 }

    private static func run<P: Program>(
        _ program: P.Type,
        _ name: String,
        _ seed: UInt64,
        _ count: Int,
        _ repeats: Bool,
        _ shrinks: Bool
    ) -> Outcome {
        let run = Run<P>(seed: seed, steps: Array(0..<count))
        let result = run.result()
        if let failure = result.failure {
            return Outcome(
                failure: shrinks
                    ? run.report(failure, named: name, count: count)
                    : "\(name): seed \(seed), step \(failure.place): \(failure.violation)",
                property: failure.violation.property.rawValue,
                versions: 0
            )
        }
        if repeats, run.result().hash != result.hash {
            return Outcome(
                failure: "\(name): seed \(seed) gives another journal when it is run again:\n"
                    + run.parting(),
                property: Property.same.rawValue,
                versions: result.versions
            )
        }
        return Outcome(failure: nil, property: nil, versions: result.versions)
    }
}
