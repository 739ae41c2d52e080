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
final class Publisher<State: Codable & Equatable & Sendable>: Sink, @unchecked Sendable {
    // Safety: `prepared`, `unencodable`, `writer` and `onCompleted` are touched by the Core's thread alone, which
    // starts after `onCompleted` was set; everything else is immutable or owns a lock.

    /// The most bytes that one batch spends on frames of single versions; beyond it, the streams
    /// get the batch's last version only.
    static var batchFramesBytesMax: Int { 1 << 20 }

    let epoch: Epoch
    /// The epoch as text, which every answer has.
    let epochText: String
    private let writer: any StateWriter<State>
    /// The streams of the modules that the state is made of, if it is.
    private let sliceStreams: SliceStreams?
    /// The streams of other parts of the state.
    let parts: PartStreams
    /// The streams of projections, if there are any.
    private let viewStreams: ViewStreams<State>?
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
        writer: any StateWriter<State>,
        sliceStreams: SliceStreams? = nil,
        parts: PartStreams,
        viewStreams: ViewStreams<State>? = nil,
        streams: StreamWriter,
        waiters: LongPolls,
        log: ActionLog
    ) throws {
        self.epoch = epoch
        epochText = epoch.description
        self.writer = writer
        self.sliceStreams = sliceStreams
        self.parts = parts
        self.viewStreams = viewStreams
        self.streams = streams
        self.waiters = waiters
        self.log = log
        let first = try writer.snapshot(state, at: Tag(epoch: epoch, version: version))
        writer.committed()
        published = Locked(first)
        publish(first, after: nil, for: nil)
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

    func committed(_ state: State, through version: UInt64, for audience: Audience?) {
        writer.committed()
        let before = snapshot
        for snapshot in prepared {
            publish(snapshot, after: self.snapshot, for: audience)
        }
        if let viewStreams, let newest = prepared.last {
            let changed = newest.slices.indices.filter {
                newest.slices[$0].version != before.slices[$0].version
            }
            viewStreams.publish(state, version, changed: Set(changed), for: audience)
        }
        log.published(version)
        forget()
    }

    func completed() {
        onCompleted()
    }

    func rolledBack() {
        writer.rolledBack()
        forget()
    }
}

extension Publisher {
    private func encode(_ state: State, _ version: UInt64) {
        do {
            let snapshot = try writer.snapshot(state, at: Tag(epoch: epoch, version: version))
            // A state of modules costs what has changed; it is put together for who wants it.
            if sliceStreams == nil || streams.isRead(.state) {
                preparedBytes += snapshot.state.count
            }
            prepared.append(snapshot)
        } catch {
            unencodable = Refusal(
                reason: "The state that would result has no JSON form: \(error.message)."
            )
        }
    }

    private func publish(
        _ snapshot: Snapshot,
        after before: Snapshot?,
        for audience: Audience?
    ) {
        published.withLock { $0 = snapshot }
        // Pairs with `announce`: either a stream that opens finds this snapshot, or it is seen here.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if streams.open > 0 {
            send(snapshot, after: before, for: audience)
            sliceStreams?.publish(snapshot, after: before, for: audience)
        }
        // Also where nobody reads: what was sent of a part before is not what its next reader begins with.
        if let before { parts.publish(snapshot, after: before, for: audience) }
        waiters.published(snapshot)
    }

    /// Gives the streams the newest version, which they may lack while nobody reads. Called between
    /// reserving a place for a stream and opening it.
    func announce() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let snapshot = snapshot
        send(snapshot, after: snapshot)
    }

    /// The topic of a module's stream.
    func topic(of topic: SliceTopic) -> TopicID {
        sliceStreams?.id(of: topic) ?? .state
    }

    /// Likewise, for the stream of a module.
    func announce(_ topic: SliceTopic) {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        sliceStreams?.announce(topic, in: snapshot)
    }

    /// Likewise, for the stream of another part of the state.
    func announce(_ part: WatchedPart) {
        parts.announce(part) {
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            return snapshot
        }
    }

    /// What a reader of a module's changes begins with: the slice as it is, and nothing before it.
    func beginning(of module: Int) -> (frame: Bytes, version: UInt64) {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        let (slice, epoch) = (snapshot.slices[module], snapshot.tag.epoch)
        let change = SliceStreams.change(from: nil, to: slice.bytes)
        let frame = SSEFrame.state(change, at: Tag(epoch: epoch, version: slice.version))
        return (Chunk.of(frame), slice.version)
    }

    private func send(
        _ snapshot: Snapshot,
        after before: Snapshot?,
        for audience: Audience? = nil
    ) {
        if streams.isRead(.state) {
            streams.publish(
                topic: .state,
                version: snapshot.version,
                frame: Chunk.of(SSEFrame.state(snapshot.state, at: snapshot.tag)),
                for: audience?.includes
            )
        }
        if streams.isRead(.state.carrying(.patch)) {
            streams.publish(
                topic: .state.carrying(.patch),
                version: snapshot.version,
                state: PatchState(snapshot, after: before),
                for: audience?.includes
            )
        }
    }

    private func forget() {
        prepared.removeAll(keepingCapacity: true)
        preparedBytes = 0
        unencodable = nil
    }
}
