package import StoreCore
package import StoreEventStream
package import StoreJSON
package import StorePlatform
package import StoreTelemetry
package import StoreTexts
package import StoreWire
import Synchronization

/// The publisher of the Core's states: encodes each version once, and swaps the newest snapshot
/// that readers read. The frames of streams are made of the same bytes, on a thread of the
/// publisher or of a pool.
///
/// The Core's thread makes every call of `Sink`; any thread may read ``snapshot``.
package final class StatePublisher<State: Codable & Equatable & Sendable>: Sink, StreamBeginnings,
    @unchecked Sendable
{
    // Safety: only the Core's thread uses `prepared`, `preparedBytes`, `unencodable` and `writer`.
    // Before that thread starts, `init` uses `writer`, and the owner sets `onCompleted` and `look`.
    // All other members are immutable or have a lock.

    /// The most bytes of single versions in one batch. After more bytes, streams get only the last
    /// version of the batch.
    static var batchFramesBytesMax: Int { 1 << 20 }

    package let epoch: Epoch
    /// The epoch as text, a part of every answer.
    package let epochText: String
    private let writer: any StateWriter<State>
    /// The streams of modules; `nil` if the state is not made of modules.
    private let sliceStreams: SliceStreams?
    /// The streams of other parts of the state.
    package let parts: PartStreams
    /// The parsed documents of the published state.
    package let documents: ParsedDocuments
    /// The streams of views; `nil` if the state has no views.
    private let viewStreams: ViewStreams<State>?
    /// The viewers with an open stream of the whole state that see only a part of it.
    private let watching: WatchingViewers
    private let streams: any StreamPublisher
    private let waiters: LongPolls
    private let log: any VersionFollower
    private let logger: Logger
    private let publishing: PublishingThread
    private var prepared: [Snapshot] = []
    private var preparedBytes = 0
    /// The reason why a state since the last commit can't be published.
    private var unencodable: Refusal?
    private var onCompleted: @Sendable () -> Void = {}
    /// A function that calls its argument with the state and its version, on the Core's thread.
    private var look: Look = { _ in }

    package typealias Look = @Sendable (@escaping @Sendable (State, UInt64) -> Void) -> Void

    /// Publishes the state at `version` before the server accepts requests. The frames of streams
    /// are made on the pool's threads, with a nice value of 10, or on the publisher's own thread.
    ///
    /// - Throws: if the state can't be encoded (for instance, if it has a number without a JSON
    ///   form).
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
        publishing = PublishingThread(first, on: pool) {
            streams.open > 0 || waiters.isAwaited
        } sending: {
            streams.workSeconds
        }
        // A weak reference: a publisher that was not closed ends with its last owner.
        publishing.start { [weak self] in self?.work }
    }

    /// The newest published version.
    package var snapshot: Snapshot { publishing.snapshot }

    /// The box from which readers take the newest published version.
    package var newest: NewestSnapshot { publishing.newest }

    /// Sets the function that wakes the event loop for completed answers. Call it before the Core
    /// starts.
    package func wake(by wake: @escaping @Sendable () -> Void) {
        onCompleted = wake
    }

    /// Sets the function that reads the state on the Core's thread. Call it before the Core starts.
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
        // A retained state makes the next change copy it. So the state is only passed on if a
        // watched view reads a changed module.
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

// Everything below runs on the publishing thread, unless its comment names another thread.

extension StatePublisher {
    private var work: PublishingThread.Work {
        PublishingThread.Work { [self] in
            distribute($0)
        } answered: { [self] in
            onCompleted()
        } skipped: { [self] in
            parts.forget()
            viewStreams?.forget()
        }
    }

    private func distribute(_ commit: Commit) {
        let audience = audience(of: commit)
        var before = commit.before
        for snapshot in commit.snapshots {
            guard streams.open > 0 else {
                // All streams have closed since the commit. The next stream begins with the newest
                // version.
                parts.forget()
                continue
            }
            let sessions = snapshot.hasSessions ? snapshot.sessions(changedSince: before) : []
            send(snapshot, after: before, for: audience)
            sendFilteredStates(of: snapshot, after: before, for: audience, sessions)
            sliceStreams?.distribute(snapshot, after: before, for: audience, sessions)
            parts.distribute(snapshot, after: before, for: audience, publishing.pauseIfBusy)
            before = snapshot
        }
        commit.views?(commit, audience)
        waiters.published(commit.newest)
    }

    private func views(of state: State) -> Commit.Views {
        { [self] commit, audience in
            viewStreams?.distribute(
                state,
                commit.newest,
                after: commit.before,
                for: audience,
                publishing.pauseIfBusy
            )
        }
    }

    /// Returns a predicate over the names of streams; `nil` if the commit is for all readers, so
    /// that the stream writer compares no names.
    private func audience(of commit: Commit) -> StreamAudience? {
        guard let audiences = commit.audiences else { return nil }
        return { name in audiences.contains { $0.includes(name) } }
    }

    /// Sends the filtered state to the viewers that see only a part of it.
    ///
    /// A session also gets a version without a change for it if the action was its own, or was for
    /// all sessions. A viewer with a sight gets a version only if its visible slices changed.
    private func sendFilteredStates(
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
        // A role gets the version of the last change that it may see. The newer version of a hidden
        // change would give readers of the topic a new event if another reader joined.
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

    /// Runs `task` between two published versions, with the last published version. A new stream
    /// begins with that version. Any thread.
    package func perform(_ task: @escaping @Sendable (Snapshot) -> Void) {
        publishing.perform(task)
    }

    /// Runs `task` at once, on the caller's thread, if nothing waits to be published and `isQuick`
    /// returns true. Returns true if `task` ran.
    package func performNow(
        where isQuick: (Snapshot) -> Bool,
        _ task: (Snapshot) -> Void
    ) -> Bool {
        publishing.performNow(work, where: isQuick, task)
    }

    /// Waits until the streams have all versions that were committed before, or until `seconds` are
    /// over. Any thread.
    package func flush(seconds: Double) {
        publishing.flush(seconds: seconds)
    }

    /// Ends the publishing thread, and does not wait for its end. Any thread.
    package func close() {
        publishing.close()
    }

    /// Publishes the newest version, as the viewer sees it, to the streams of the whole state.
    /// Streams without readers may lack that version. Call it after the stream's place is reserved
    /// and before the stream opens.
    package func announce(to viewer: Viewer, in snapshot: Snapshot) {
        if !viewer.seesAll { watching.insert(viewer) }
        let snapshot = snapshot.visible(to: viewer)
        send(snapshot, after: snapshot, to: viewer)
    }

    /// Returns the topic of a module's stream. Any thread.
    package func topic(of topic: SliceTopic) -> TopicID {
        sliceStreams?.id(of: topic) ?? .state
    }

    /// Publishes a module's newest slice for a stream that is about to open.
    package func announce(_ topic: SliceTopic, in snapshot: Snapshot) {
        sliceStreams?.announce(topic, in: snapshot)
    }

    /// Publishes the newest value of a part for a stream that is about to open.
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

    /// Returns the first frame for a reader of a module's changes, with its version. The frame has
    /// the current slice as `new` and `null` as `old`.
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
