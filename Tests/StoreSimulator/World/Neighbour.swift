import StoreCore
import StoreHTTP
import StoreHTTPTransport

@testable import StorePublishing
@testable import StoreServer

/// A second store in the process of the simulated store. No action on one store changes the other.
final class Neighbour {
    static let links = Links(storeName: "neighbour")

    struct Tally: Codable, Equatable, Sendable { var total = 0 }

    /// The store's only action. Negative amounts are refused.
    struct Added: Action, Codable { let amount: Int }

    private final class Follower: CommitFollower {}

    let parts: StoreAssembly<Tally>
    /// The state that the model expects by now.
    private(set) var expected = Tally()
    private(set) var version: UInt64 = 0

    /// Assembles the store; its history is in memory and begins with it.
    init(
        in process: ServerProcess,
        _ configuration: ServerConfiguration,
        _ clock: ManualClock,
        _ executor: SteppedExecutor
    ) throws {
        let server = Server(state: Tally(), actions: [Added.self]) {
            (tally: inout Tally, action) in
            guard let added = action as? Added else { return }
            guard added.amount >= 0 else { throw Refusal(reason: "negative") }
            tally.total += added.amount
        }
        var world = World(server.dependencies, .system)
        world.simulatedWorld = SimulatedWorld(
            journal: MemoryJournal(),
            clock: clock.timeOfDay,
            executor: executor,
            onJournalFailure: { _ in },
            makeFollower: { _ in Follower() }
        )
        parts = try StoreAssembly(
            StoreContext(server, configuration, at: Self.links, in: process, world)
        )
    }

    deinit { parts.stateStreams.close() }

    /// Predicts the result of an array; returns true if the array is applied.
    func expect(_ amounts: [Int]) -> Bool {
        guard !amounts.contains(where: { $0 < 0 }) else { return false }
        expected.total += amounts.reduce(0, +)
        version += UInt64(amounts.count)
        return true
    }
}
