import StoreCore
import StoreServer

/// A server of a history that several servers share, with the calls of its presenters and
/// reactions.
final class Peer<Root: RootState>: @unchecked Sendable {
    // Safety: the one thread of the simulation makes every call.

    let journal: PeerJournal
    let recorder: Recorder
    let server: SimulatedServer<Root>
    /// The states of an observer, one for each version from the first on.
    let shown: Shown
    /// True while the server works, so that no interruption begins a second turn.
    private var isWorking = false

    init(
        _ server: Server<Root>,
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

    /// Lets the Core take one turn. Returns true if there was work.
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
