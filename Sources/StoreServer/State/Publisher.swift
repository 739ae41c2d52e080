import EventStream
import HTTPTransport
import Locks
import StoreCore
import Synchronization
import Wire

/// What leaves the Core: encodes each published version once, swaps the snapshot that every read is
/// answered from, and hands the same bytes to the streams.
///
/// The Core's thread makes every call of `Sink`; any thread may read ``snapshot``.
final class Publisher<State: Encodable & Sendable>: Sink, @unchecked Sendable {
    // Safety: `prepared`, `unencodable`, `encoder` and `onCompleted` are touched by the Core's thread alone, which
    // starts after `onCompleted` was set; everything else is immutable or owns a lock.

    /// The most bytes that one batch spends on frames of single versions; beyond it, the streams
    /// get the batch's last version only.
    static var batchFramesBytesMax: Int { 1 << 20 }

    let epoch: Epoch
    /// The epoch as text, which every answer has.
    let epochText: String
    private let encoder: JSONEncoder
    private let streams: StreamWriter
    private let waiters: LongPolls
    private let log: ActionLog
    private let published: Locked<Snapshot>
    private var prepared: [Snapshot] = []
    private var preparedBytes = 0
    /// Why a state since the last commit can't be published.
    private var unencodable: Refusal?
    private var onCompleted: @Sendable () -> Void = {}

    /// Publishes the state as it is at `version` before anything is served.
    ///
    /// - Throws: where the state can't be encoded (a number that JSON does not have, for instance).
    init(
        epoch: Epoch,
        version: UInt64,
        state: State,
        encoder: JSONEncoder,
        streams: StreamWriter,
        waiters: LongPolls,
        log: ActionLog
    ) throws {
        self.epoch = epoch
        epochText = epoch.description
        self.encoder = encoder
        self.streams = streams
        self.waiters = waiters
        self.log = log
        let first = Snapshot(
            tag: Tag(epoch: epoch, version: version),
            state: try encoder.encodeShared(state)
        )
        published = Locked(first)
        publish(first)
    }

    /// The newest published version.
    var snapshot: Snapshot {
        published.withLock { $0 }
    }

    /// Says whom to wake when a batch's tickets are all completed. Called before the Core starts.
    func wake(by wake: @escaping @Sendable () -> Void) {
        onCompleted = wake
    }

    func reduced(_ state: State, version: UInt64, changed: Bool) {
        guard streams.open > 0, streams.keepsUp, preparedBytes < Self.batchFramesBytesMax else {
            return
        }
        encode(state, version)
    }

    func prepare(_ state: State, through version: UInt64) throws {
        if unencodable == nil, prepared.last?.version != version { encode(state, version) }
        if let unencodable { throw unencodable }
    }

    func committed(_ state: State, through version: UInt64) {
        for snapshot in prepared {
            publish(snapshot)
        }
        log.published(version)
        forget()
    }

    func completed() {
        onCompleted()
    }

    func rolledBack() {
        forget()
    }
}

extension Publisher {
    private func encode(_ state: State, _ version: UInt64) {
        do {
            let bytes = try encoder.encodeShared(state)
            preparedBytes += bytes.count
            prepared.append(
                Snapshot(tag: Tag(epoch: epoch, version: version), state: bytes)
            )
        } catch {
            unencodable = Refusal(
                reason: "The state that would result has no JSON form: \(error.message)."
            )
        }
    }

    private func publish(_ snapshot: Snapshot) {
        published.withLock { $0 = snapshot }
        // Pairs with `announce`: either a stream that opens finds this snapshot, or it is seen here.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if streams.open > 0 { send(snapshot) }
        waiters.published(snapshot)
    }

    /// Gives the streams the newest version, which they may lack while nobody reads. Called between
    /// reserving a place for a stream and opening it.
    func announce() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        send(snapshot)
    }

    private func send(_ snapshot: Snapshot) {
        streams.publish(
            topic: .state,
            version: snapshot.version,
            frame: Chunk.of(SSEFrame.state(snapshot.state, at: snapshot.tag))
        )
    }

    private func forget() {
        prepared.removeAll(keepingCapacity: true)
        preparedBytes = 0
        unencodable = nil
    }

    private static func etag(_ epoch: Epoch, _ version: UInt64) -> String {
        "\"\(epoch):\(version)\""
    }
}
