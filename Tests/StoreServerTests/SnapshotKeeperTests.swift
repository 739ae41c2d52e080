import StoreCore
import StoreHistory
import StoreJSON
import StorePlatform
import StorePublishing
import StoreTelemetry
import StoreTestSupport
import StoreWire
import Synchronization
import Testing

/// The moments and the thread of snapshots.
struct SnapshotKeeperTests {
    private func snapshot(_ version: UInt64) -> Snapshot {
        Snapshot(tag: Tag(epoch: Epoch(rawValue: 7), version: version), state: Bytes(utf8: "0"))
    }

    @Test(arguments: [
        WorkerThreads.own(), .pool(ThreadPool(name: "test", threadsMax: 1, idleSecondsMax: 1)),
    ])
    func `a snapshot is kept when there are enough records, and at the end`(
        _ threads: WorkerThreads
    ) {
        let journal = MemoryJournal()
        let version = Atomic<UInt64>(0)
        let keeper = SnapshotKeeper(
            journal: journal,
            stateFormDigest: "test",
            savedVersion: 0,
            recordsMax: 10,
            logger: .standardError,
            on: threads
        ) {
            snapshot(version.load(ordering: .relaxed))
        }
        keeper.start()
        version.store(9, ordering: .relaxed)
        keeper.countAppended(through: 9, bytes: 1)
        version.store(10, ordering: .relaxed)
        keeper.countAppended(through: 10, bytes: 1)
        wait("version 10 is saved") { journal.newestSnapshotVersion == 10 }
        version.store(12, ordering: .relaxed)
        keeper.countAppended(through: 12, bytes: 1)
        keeper.stop()
        #expect(journal.newestSnapshotVersion == 12)
    }
}
