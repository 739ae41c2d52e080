extension Simulator {
    /// The result of one seed of several servers on one history.
    package struct PeersOutcome: Sendable {
        /// The failure; `nil` if all properties held.
        package let failure: String?
        /// The number of applied actions.
        package let versions: UInt64
        /// The number of appends that found records of other servers.
        package let conflicts: Int
    }

    /// Runs steps of several servers on one history: of an even seed on the simulator's own store,
    /// of an odd seed on the shipped store.
    package static func runPeers(seed: UInt64, steps: Int) -> PeersOutcome {
        Workshop.$hasReducer.withValue(hasReducer(seed)) {
            seed.isMultiple(of: 2)
                ? runPeers(WorkshopProgram.self, seed, steps)
                : runPeers(ShopProgram.self, seed, steps)
        }
    }

    private static func runPeers<P: Program>(
        _ program: P.Type,
        _ seed: UInt64,
        _ steps: Int
    ) -> PeersOutcome {
        var step = 0
        do {
            let simulation = try PeerSimulation<P>(seed: seed)
            while step < steps {
                try simulation.step(step)
                step += 1
            }
            try simulation.end()
            return PeersOutcome(
                failure: nil,
                versions: simulation.peers[0].server.version,
                conflicts: simulation.peers.reduce(0) { $0 + $1.journal.conflicts }
            )
        } catch {
            let place = step < steps ? "step \(step)" : "the end"
            return PeersOutcome(
                failure: "peers: seed \(seed), \(place) of \(steps): \(error)",
                versions: 0,
                conflicts: 0
            )
        }
    }
}
