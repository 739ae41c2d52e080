import StoreControlledWorld
import StoreCore
import StoreServer

/// One of several servers of a history, with the calls of its presenters and reactions.
final class Peer<Root: RootState>: @unchecked Sendable {
    // Safety: the one thread of the simulation makes every call.

    let journal: PeerJournal
    let recorder: Recorder
    let server: SimulatedServer<Root>
    /// The states that an observer was shown, one for each version from the first on.
    let shown: Shown
    /// Whether it is at work, so that no interruption may begin its work anew.
    private var isWorking = false

    init(
        _ server: StoreServer<Root>,
        _ recorder: Recorder,
        on journal: PeerJournal,
        _ clock: ManualClock,
        _ dependencies: Dependencies,
        roles: Roles?
    ) throws {
        self.journal = journal
        self.recorder = recorder
        let shown = Shown()
        self.shown = shown
        self.server = try SimulatedServer(
            server,
            on: journal,
            clock,
            dependencies,
            recorder,
            roles: roles,
            observedBy: { shown.states.append(recorder.texts.slices(of: $0)) }
        )
    }

    /// Has the Core take one turn. Answers whether there was anything to do.
    func turn() -> Bool {
        guard !isWorking else { return false }
        isWorking = true
        defer { isWorking = false }
        return Recorder.$current.withValue(recorder) { server.turnCore() }
    }

    /// Runs one job of an effect.
    func step(_ chance: inout Chance) -> Bool {
        Recorder.$current.withValue(recorder) { server.executor.step(&chance) }
    }

    /// States as JSON, by their versions.
    final class Shown: @unchecked Sendable {
        // Safety: as above.
        var states: [StateText] = []
    }
}
