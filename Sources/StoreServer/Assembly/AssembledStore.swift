import StoreCore
import StoreEventStream
import StoreHTTP
import StoreHTTPTransport
import StoreHistory
import StorePlatform
import StorePublishing
import StoreWire

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
        published.publisher.flush(seconds: deadline.left / 4)
        return store.streams.stop(reason: .shutdown, seconds: deadline.left / 2)
    }

    func finish(by deadline: Deadline) -> String? {
        published.log.close(seconds: max(0.5, deadline.left))
        defer { published.publisher.close() }
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
