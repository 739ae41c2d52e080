import StoreCore
package import StoreJSON
package import StorePlatform
import StoreTexts
package import StoreWire

/// The published state and its streams: the whole state, modules, parts and views.
///
/// A ``PublishingThread`` makes the frames, in the order of the commits. A stream opens with its
/// first frame between two commits, and so misses no version.
package final class StateStreams: Sendable {
    package let epoch: Epoch
    /// The streams of parts of the state.
    package let parts: PartStreams
    /// The streams of modules; `nil` if the state is not made of modules.
    private let slices: SliceStreams?
    /// The streams of views; `nil` if the state has no views.
    private let views: (any PublishedViews)?
    let distributor: TopicDistributor
    /// The viewers that see only some members of the state, and have an open stream of the state.
    private let watchingViewers: WatchingViewers
    private let longPolls: LongPolls
    let publishingThread: PublishingThread
    /// Wakes the event loop, which sends the completed answers.
    let wakeEventLoop: @Sendable () -> Void

    /// Makes the streams, and publishes the first version before the server accepts requests.
    /// `layout` is `nil` if the state is not made of modules. Without a pace, streams get the
    /// versions as soon as possible.
    package init(
        _ first: Snapshot,
        _ distributor: TopicDistributor,
        layout: SliceLayout? = nil,
        documents: ParsedDocuments,
        views: (any PublishedViews)? = nil,
        waiters: LongPolls,
        on pool: ThreadPool? = nil,
        pace: PublicationPace? = nil,
        wake: @escaping @Sendable () -> Void
    ) {
        epoch = first.tag.epoch
        self.distributor = distributor
        parts = PartStreams(layout: layout, distributor, documents)
        slices = layout.map { SliceStreams($0, distributor) }
        self.views = views
        self.longPolls = waiters
        self.wakeEventLoop = wake
        watchingViewers = WatchingViewers { distributor.hasReaders(.state.forViewer($0)) }
        let streams = distributor.streams
        publishingThread = PublishingThread(first, on: pool, pace: pace) {
            streams.openStreamCount > 0 || waiters.hasWaiters
        } sendingSeconds: {
            streams.workSeconds
        }
        // The reference is weak, so that the thread does not keep unclosed streams alive.
        publishingThread.start { [weak self] in self?.publishingHandlers }
    }

    /// The newest published version. Any thread may read this property.
    package var snapshot: Snapshot { publishingThread.snapshot }

    /// The box from which readers take the newest published version.
    package var newest: NewestSnapshot { publishingThread.newest }

    /// True if there are readers, and the publishing thread and the stream writer keep up. Each
    /// version may then have a frame of its own. Any thread may read this property.
    var takesEachVersion: Bool {
        distributor.streams.openStreamCount > 0 && publishingThread.keepsUp
            && distributor.streams.keepsUp
    }

    /// Waits until the streams have all versions that were committed before this call, or until
    /// `seconds` are over. Any thread may call this function.
    package func flush(seconds: Double) { publishingThread.flush(seconds: seconds) }

    /// Ends the publishing thread, and does not wait for its end. Any thread may call this
    /// function.
    package func close() { publishingThread.close() }
}

// Streams that open.

extension StateStreams {
    /// Returns the topic of a stream that sends whole values, not patches. Any thread may call this
    /// function.
    package func topic(of stream: StateStream) -> TopicID {
        switch stream {
        case .whole(let viewer): .state.forViewer(viewer)
        case .slice(let slice): slices?.topicID(of: slice) ?? .state
        case .part(let part): part.topic
        case .view(let view): view.topic
        }
    }

    /// Calls `open` with the first frame of a stream at once, on the caller's thread. Does nothing
    /// if the frame is expensive to make, or if the publishing queue is not empty. Returns true if
    /// this function called `open`. The caller must have reserved a place for the stream's reader.
    package func openNow(
        _ stream: StateStream,
        in mode: StreamMode,
        after known: UInt64 = 0,
        _ open: (FirstFrame?) -> Void
    ) -> Bool {
        publishingThread.performNow(
            with: publishingHandlers,
            after: known,
            where: { isCheapToFind(stream, in: $0) }
        ) {
            open(firstFrame(of: stream, in: mode, from: $0))
        }
    }

    /// Calls `open` with the first frame of a stream on the publishing thread, between two
    /// versions. The caller must have reserved a place for the stream's reader. Any thread may call
    /// this function.
    ///
    /// The first frame has the version that the reader already has, or a later version.
    package func open(
        _ stream: StateStream,
        in mode: StreamMode,
        after known: UInt64 = 0,
        _ open: @escaping @Sendable (FirstFrame?) -> Void
    ) {
        publishingThread.perform(after: known) { [self] in
            open(firstFrame(of: stream, in: mode, from: $0))
        }
    }

    /// Returns true if making the first frame of a stream from a version is cheap.
    private func isCheapToFind(_ stream: StateStream, in snapshot: Snapshot) -> Bool {
        switch stream {
        case .whole(let viewer): snapshot.visible(to: viewer).isCheapToFind(.root)
        case .slice(let slice): snapshot.slice(slice.module, for: slice.owner).isCheapToFind
        case .part(let part): parts.isCheapToFind(part, in: snapshot)
        case .view: true
        }
    }

    /// Returns the first frame of a stream that opens. The stream gets all versions after the
    /// version of this frame. Returns `nil` for a view: the Core must first hand over the state,
    /// and the frame is sent later. Call this function between two versions, on the publishing
    /// thread or on the thread that stands in for it.
    func firstFrame(
        of stream: StateStream,
        in mode: StreamMode,
        from snapshot: Snapshot
    ) -> FirstFrame? {
        switch stream {
        case .whole(let viewer):
            if !viewer.seesAll { watchingViewers.insert(viewer) }
            let seen = snapshot.visible(to: viewer)
            let first = topicVersion(seen, after: seen, for: viewer, in: mode)
            return .shared(first, through: snapshot.version)
        case .slice(let slice): return slices?.firstFrame(of: slice, in: mode, from: snapshot)
        case .part(let part):
            let first = parts.beginWatching(of: part, in: mode, from: snapshot)
            return .shared(first, through: first.number)
        case .view(let view):
            views?.open(view, in: self)
            return nil
        }
    }
}

// Publishing a version, on the publishing thread.

extension StateStreams {
    private var publishingHandlers: PublishingThread.Handlers {
        PublishingThread.Handlers(distribute: distribute, didRunTasks: wakeEventLoop) { [self] in
            parts.forgetSentFrames()
            views?.forgetSentFrames()
        }
    }

    private func distribute(_ commit: Commit) {
        let filter = filter(of: commit)
        var before = commit.previous
        for snapshot in commit.snapshots {
            guard distributor.streams.openStreamCount > 0 else {
                // All streams have closed since the commit, and the next stream begins with the
                // newest version.
                parts.forgetSentFrames()
                continue
            }
            let owners = snapshot.hasOwners ? snapshot.owners(changedSince: before) : []
            distributeState(snapshot, after: before, for: filter)
            distributeFilteredStates(of: snapshot, after: before, for: filter, owners)
            slices?.distribute(snapshot, after: before, for: filter, owners)
            parts.distribute(snapshot, after: before, for: filter, publishingThread.pauseIfBusy)
            before = snapshot
        }
        commit.publishViews?(commit, filter)
        longPolls.answerWaiters(with: commit.newest)
    }

    /// Returns a predicate over the names of streams; `nil` if the commit is for all readers, so
    /// that the stream writer compares no names.
    private func filter(of commit: Commit) -> ReaderFilter? {
        guard let audiences = commit.audiences else { return nil }
        return { name in audiences.contains { $0.includes(name) } }
    }

    /// Sends the filtered state to the viewers that see only some members of the state.
    ///
    /// A client gets each version that changes the state that the client sees. The client also gets
    /// the versions of its own actions, and of actions for all clients. A client with a limited
    /// sight, or in a store with restricted slices, gets a version only if a slice changed that the
    /// client sees.
    private func distributeFilteredStates(
        of snapshot: Snapshot,
        after before: Snapshot,
        for filter: ReaderFilter?,
        _ owners: Set<ExactText>?
    ) {
        var seeing: Set<ExactText>?
        if let owners, case .owners(let authors) = snapshot.readers {
            seeing = owners.union(authors)
        }
        for viewer in watchingViewers.viewers(of: seeing) {
            let (seen, old) = (snapshot.visible(to: viewer), before.visible(to: viewer))
            if snapshot.isFiltered(for: viewer), !seen.differs(from: old) { continue }
            distributeState(seen, after: old, for: filter, to: viewer)
        }
    }

    private func distributeState(
        _ snapshot: Snapshot,
        after before: Snapshot,
        for filter: ReaderFilter?,
        to viewer: Viewer = .unrestricted
    ) {
        distributor.distribute(to: .state.forViewer(viewer), for: filter) {
            topicVersion(snapshot, after: before, for: viewer, in: $0)
        }
    }

    /// Returns a version of the whole state as a viewer sees it.
    ///
    /// If changes may be hidden from the viewer, the number is the version of the last change that
    /// the viewer sees. With the newest number, a reader that joined after a hidden change would
    /// cause an event without a change. All readers of the topic would get this event.
    private func topicVersion(
        _ snapshot: Snapshot,
        after before: Snapshot,
        for viewer: Viewer,
        in mode: StreamMode
    ) -> TopicVersion {
        var version = snapshot.version
        if snapshot.isFiltered(for: viewer) {
            version = snapshot.eventVersion(
                changed: snapshot.lastChangeVersion,
                after: before.lastChangeVersion
            )
        }
        return switch mode {
        case .snapshot: TopicVersion(version, frame: snapshot.frame(at: version))
        case .patch: TopicVersion(version, state: PatchState(snapshot, at: version, after: before))
        }
    }
}

/// A stream of the state, by its subject and its reader.
package enum StateStream: Sendable {
    /// The whole state, as a viewer sees it.
    case whole(Viewer)
    /// A module's slice, or its changes.
    case slice(SliceTopic)
    /// An instance of a module, or the value at a JSON Pointer.
    case part(WatchedPart)
    case view(ViewRequest)
}

/// The first frame of a stream, which the stream writer gets together with the reader.
package enum FirstFrame: Sendable {
    /// The newest version of the topic. A reader with this version, or with a later version up to
    /// `through`, already has this content.
    case shared(TopicVersion, through: UInt64)
    /// A frame only for this reader, with the version that the frame shows.
    case own(Bytes, version: UInt64)
}
