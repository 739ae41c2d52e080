package import StoreCore
package import StoreEventStream
package import StorePlatform
package import StoreTelemetry
package import StoreTexts
package import StoreWire
import Synchronization

/// What leaves the Core: encodes each published version once, and swaps the snapshot that every
/// read is answered from. What readers of streams are sent is made of the same bytes, on a thread
/// of its own or of a pool.
///
/// The Core's thread makes every call of `Sink`; any thread may read ``snapshot``.
package final class Publisher<State: Codable & Equatable & Sendable>: Sink, StreamBeginnings,
    @unchecked Sendable
{
    // Safety: `prepared`, `unencodable` and `writer` are touched by the Core's thread alone, which
    // starts after `onCompleted` and `look` were set; everything else is immutable or owns a lock.

    /// The most bytes that one batch spends on single versions; beyond it, the streams get the
    /// batch's last version only.
    static var batchFramesBytesMax: Int { 1 << 20 }

    package let epoch: Epoch
    /// The epoch as text, which every answer has.
    package let epochText: String
    private let writer: any StateWriter<State>
    /// The streams of the modules that the state is made of, if it is.
    private let sliceStreams: SliceStreams?
    /// The streams of other parts of the state.
    package let parts: PartStreams
    /// What was parsed of the published state.
    package let documents: ParsedDocuments
    /// The streams of projections, if there are any.
    private let viewStreams: ViewStreams<State>?
    /// Those that read the whole state and do not see all of it.
    private let watching: WatchingViewers
    private let streams: any StreamPublisher
    private let waiters: LongPolls
    private let log: any VersionFollower
    private let logger: Logger
    private let publishing: Publishing
    private var prepared: [Snapshot] = []
    private var preparedBytes = 0
    /// Why a state since the last commit can't be published.
    private var unencodable: Refusal?
    private var onCompleted: @Sendable () -> Void = {}
    /// Calls its argument with the state and its version, on the Core's thread.
    private var look: Look = { _ in }

    package typealias Look = @Sendable (@escaping @Sendable (State, UInt64) -> Void) -> Void

    /// Publishes the state as it is at `version` before anything is served. What readers of streams
    /// are sent is made on the pool's threads, with a nice value of 10, or on a thread of its own.
    ///
    /// - Throws: where the state can't be encoded (a number that JSON does not have, for instance).
    package init(
        epoch: Epoch,
        version: UInt64,
        state: State,
        writer: any StateWriter<State>,
        sliceStreams: SliceStreams? = nil,
        parts: PartStreams,
        documents: ParsedDocuments,
        viewStreams: ViewStreams<State>? = nil,
        streams: any StreamPublisher,
        waiters: LongPolls,
        log: any VersionFollower,
        logger: Logger,
        on pool: ThreadPool? = nil
    ) throws {
        self.epoch = epoch
        epochText = epoch.description
        self.writer = writer
        self.sliceStreams = sliceStreams
        self.parts = parts
        self.documents = documents
        self.viewStreams = viewStreams
        self.streams = streams
        watching = WatchingViewers { viewer in
            StreamMode.allCases.contains {
                streams.isRead(.state.seen(by: viewer).carrying($0))
            }
        }
        self.waiters = waiters
        self.log = log
        self.logger = logger
        let first = try writer.snapshot(state, at: Tag(epoch: epoch, version: version))
        writer.committed()
        publishing = Publishing(first, on: pool) {
            streams.open > 0 || waiters.isAwaited
        } sending: {
            streams.workSeconds
        }
        // Weakly, so that a publisher that is not closed ends with its last owner.
        publishing.start { [weak self] in self?.work }
    }

    /// The newest published version.
    package var snapshot: Snapshot { publishing.snapshot }

    /// Where readers find the newest published version.
    package var newest: NewestSnapshot { publishing.newest }

    /// Sets the function that wakes the event loop for completed answers. Called before the Core
    /// starts.
    package func wake(by wake: @escaping @Sendable () -> Void) {
        onCompleted = wake
    }

    /// Sets the function that reads the state on the Core's thread. Called before the Core starts.
    package func look(by look: @escaping Look) {
        self.look = look
    }

    package var takesEachVersion: Bool {
        streams.open > 0 && preparedBytes < Self.batchFramesBytesMax && publishing.keepsUp
            && streams.keepsUp
    }

    package func reduced(_ state: State, version: UInt64, changed: Bool) {
        encode(state, version)
    }

    package func prepare(_ state: State, through version: UInt64) throws {
        if unencodable == nil, prepared.last?.version != version { encode(state, version) }
        if let unencodable { throw unencodable }
    }

    package func committed(_ state: State, through version: UInt64, for audience: Audience?) {
        writer.committed()
        let before = snapshot
        let newest = prepared.last ?? before
        // A state that is handed over is copied by the next change, so it is not where no view
        // reads it.
        let isViewed = viewStreams?.reads(newest, since: before) == true
        publishing.commit(newest) {
            Commit(prepared, after: before, for: audience, isViewed ? views(of: state) : nil)
        }
        log.published(version)
        forget()
    }

    package func completed() {
        onCompleted()
    }

    package func rolledBack() {
        writer.rolledBack()
        forget()
    }

    private func encode(_ state: State, _ version: UInt64) {
        do {
            let snapshot = try writer.snapshot(state, at: Tag(epoch: epoch, version: version))
            preparedBytes += snapshot.ownBytes
            prepared.append(snapshot)
        } catch {
            if let failure = error.failure {
                logger.error(.stateUnencodable, "a state has no JSON form: \(failure)")
            }
            unencodable = Refusal(
                reason: "The state that would result has no JSON form: \(error.message)."
            )
        }
    }

    private func forget() {
        prepared = []
        preparedBytes = 0
        unencodable = nil
    }
}

// What follows is called on the publishing thread, where nothing else is said.

extension Publisher {
    private var work: Publishing.Work {
        Publishing.Work { [self] in
            publish($0)
        } answered: { [self] in
            onCompleted()
        } skipped: { [self] in
            parts.forget()
            viewStreams?.forget()
        }
    }

    private func publish(_ commit: Commit) {
        let audience = audience(of: commit)
        var before = commit.before
        for snapshot in commit.snapshots {
            guard streams.open > 0 else {
                // All have closed since the commit: the next one begins with what is new then.
                parts.forget()
                continue
            }
            let sessions = snapshot.hasSessions ? snapshot.sessions(changedSince: before) : []
            send(snapshot, after: before, for: audience)
            sendParts(of: snapshot, after: before, for: audience, sessions)
            sliceStreams?.publish(snapshot, after: before, for: audience, sessions)
            parts.publish(snapshot, after: before, for: audience, publishing.breathe)
            before = snapshot
        }
        commit.views?(commit, audience)
        waiters.published(commit.newest)
    }

    private func views(of state: State) -> Commit.Views {
        { [self] commit, audience in
            viewStreams?.publish(
                state,
                commit.newest,
                after: commit.before,
                for: audience,
                publishing.breathe
            )
        }
    }

    /// `nil` where the commit is for all: then the writer compares no names.
    private func audience(of commit: Commit) -> StreamAudience? {
        guard let audiences = commit.audiences else { return nil }
        return { name in audiences.contains { $0.includes(name) } }
    }

    /// Sends the whole state to those who do not see all of it, but something of a version: to
    /// sessions also where an action of theirs, or one for all, has changed nothing; to roles only
    /// where what they see has changed.
    private func sendParts(
        of snapshot: Snapshot,
        after before: Snapshot,
        for audience: StreamAudience?,
        _ sessions: Set<ExactText>?
    ) {
        var seeing: Set<ExactText>?
        if let sessions, case .sessions(let authors) = snapshot.audience {
            seeing = sessions.union(authors)
        }
        for viewer in watching.among(seeing) {
            let (seen, old) = (snapshot.visible(to: viewer), before.visible(to: viewer))
            if viewer.sight != nil, !seen.differs(from: old) { continue }
            send(seen, after: old, for: audience, to: viewer)
        }
    }

    private func send(
        _ snapshot: Snapshot,
        after before: Snapshot,
        for audience: StreamAudience? = nil,
        to viewer: Viewer = .all
    ) {
        let topic = TopicID.state.seen(by: viewer)
        // A role is sent the version of the last change that it sees: a newer one would be an event
        // of a hidden change for all that read the topic when another reader joins.
        let version =
            viewer.sight == nil
            ? snapshot.version
            : snapshot.version(snapshot.changedVersion, after: before.changedVersion)
        if streams.isRead(topic) {
            streams.publish(
                topic: topic,
                version: version,
                frame: snapshot.frame(at: version),
                for: audience
            )
        }
        if streams.isRead(topic.carrying(.patch)) {
            streams.publish(
                topic: topic.carrying(.patch),
                version: version,
                state: PatchState(snapshot, at: version, after: before),
                for: audience
            )
        }
    }

    /// Does something between two versions that readers are sent, given the newest that they were
    /// sent: where a stream opens, it begins with that one. Any thread.
    package func perform(_ task: @escaping @Sendable (Snapshot) -> Void) {
        publishing.perform(task)
    }

    /// The same at once, on the caller's thread, where nothing waits to be published and it costs
    /// little. Returns whether it was done.
    package func performNow(
        where isQuick: (Snapshot) -> Bool,
        _ task: (Snapshot) -> Void
    ) -> Bool {
        publishing.performNow(work, where: isQuick, task)
    }

    /// Waits until the streams have all that was committed before, or the time is over. Any thread.
    package func flush(seconds: Double) {
        publishing.flush(seconds: seconds)
    }

    /// Ends the publishing thread. Any thread.
    package func close() {
        publishing.close()
    }

    /// Gives the streams the newest version, which they may lack while they have no readers. Called
    /// between reserving a place for a stream and opening it.
    package func announce(to viewer: Viewer, in snapshot: Snapshot) {
        if !viewer.seesAll { watching.insert(viewer) }
        let snapshot = snapshot.visible(to: viewer)
        send(snapshot, after: snapshot, to: viewer)
    }

    /// The topic of a module's stream. Any thread.
    package func topic(of topic: SliceTopic) -> TopicID {
        sliceStreams?.id(of: topic) ?? .state
    }

    /// Likewise, for the stream of a module.
    package func announce(_ topic: SliceTopic, in snapshot: Snapshot) {
        sliceStreams?.announce(topic, in: snapshot)
    }

    /// Likewise, for the stream of another part of the state.
    package func announce(_ part: WatchedPart, in snapshot: Snapshot) {
        parts.announce(part) { snapshot }
    }

    package func announce(_ view: ViewRequest) {
        guard let viewStreams else { return }
        look { [self] state, version in
            viewStreams.watch(view)
            perform { _ in viewStreams.begin(view, state, version) }
        }
    }

    /// What a reader of a module's changes begins with: the slice as it is, and nothing before it.
    package func beginning(
        of module: Int,
        for session: ExactText?,
        in snapshot: Snapshot
    ) -> (frame: Bytes, version: UInt64) {
        sliceStreams?.announce(.change(module, session), in: snapshot)
        let slice = snapshot.slice(module, for: session)
        let change = SliceStreams.change(from: nil, to: slice.bytes)
        let tag = Tag(epoch: epoch, version: slice.version)
        return (SSEFrame.state(change, at: tag), slice.version)
    }
}
