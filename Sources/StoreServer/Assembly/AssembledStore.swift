import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StorePlatform
import StorePublishing
import Synchronization

/// A store with all its parts.
struct AssembledStore<State: Codable & Equatable & Sendable>: Sendable {
    let store: Store
    let core: Core<State>
    let base: StoreContext<State>
    let published: PublishedStore<State>
    let supervision: StoreHealth
    let router: Router
    /// The writers of the files for shared values.
    let sharedFiles: [SharedFileWriter]
    /// The first actions of a store without a history, and the places in the program that declare
    /// them.
    let firstActions: [(action: any Action, place: String)]
}

extension AssembledStore: ServedStore {
    func reloadAccess() throws {
        guard let access = base.access else { return }
        try access.reload()
        endForbidden()
    }

    func endForbidden() {
        guard base.access != nil else { return }
        store.streams.endForbiddenStreams()
        store.reader.endForbiddenWaits()
        store.outcomes.giveUpForbidden()
    }

    func drain() {
        router.drain()
        store.drain()
        store.core.effects?.stop()
        published.waiters.expireAll()
        store.wake()
    }

    func endStreams(by deadline: Deadline) -> Bool {
        // Sends the versions that are committed already before the `bye` events.
        published.states.flush(seconds: deadline.left / 4)
        return store.streams.stop(reason: .shutdown, seconds: deadline.left / 2)
    }

    func finish(by deadline: Deadline) -> String? {
        published.log.close(seconds: max(0.5, deadline.left))
        defer { published.states.close() }
        return StopSteps([
            ("the accepted actions", core.stop),
            (
                "the files of shared values",
                { [sharedFiles] in
                    for file in sharedFiles { file.close(seconds: max(0.5, deadline.left)) }
                }
            ),
            ("the snapshot for the next start", published.keeper.stop),
            ("closing the journal", base.journal.close),
        ]).run(seconds: max(0.5, deadline.left))
    }
}

/// The steps of a stop that may never end, because they wait for a reducer or a disk.
///
/// They run one after the other, on a thread of their own. The thread that stops the server leaves
/// it behind when the time is over.
final class StopSteps: Sendable {
    private let steps: [(name: String, work: @Sendable () -> Void)]
    private let current = Locked(0)
    private let ended = Latch()

    /// Makes the sequence of steps.
    ///
    /// - Parameter steps: the steps, each with its name in the log.
    init(_ steps: [(name: String, work: @Sendable () -> Void)]) {
        self.steps = steps
    }

    /// Runs the steps. Returns the name of the step that was not finished after so many seconds.
    func run(seconds: Double) -> String? {
        SystemThread.start(name: "stop") { [self] in
            for (index, step) in steps.enumerated() {
                current.withLock { $0 = index }
                step.work()
            }
            ended.open()
        }
        guard !ended.wait(seconds: seconds) else { return nil }
        return steps[current.withLock { $0 }].name
    }
}
