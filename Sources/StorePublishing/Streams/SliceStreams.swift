import StoreJSON
package import StoreTexts
import StoreWire

/// The streams of modules. A version of a slice is only sent if the slice has changed.
final class SliceStreams: Sendable {
    private let distributor: TopicDistributor
    private let layout: SliceLayout
    /// The topics of each module. The stream writer finds the readers of a module by these topics.
    private let topicsByModule: [(slice: TopicID, change: TopicID)]
    /// The sessions and users that read slices of their own.
    private let watchingViewers: WatchingViewers

    init(_ layout: SliceLayout, _ distributor: TopicDistributor) {
        self.distributor = distributor
        self.layout = layout
        let topics = layout.names.map { name in
            (slice: TopicID(.slice(ExactText(name))), change: TopicID(.changes(ExactText(name))))
        }
        self.topicsByModule = topics
        watchingViewers = WatchingViewers { [owned = layout.readerDependentModules] viewer in
            owned.contains { index in
                distributor.hasReaders(topics[index].slice.forViewer(viewer))
                    || distributor.streams.hasReaders(topics[index].change.forViewer(viewer))
            }
        }
    }

    /// Returns the topic by which the stream writer finds the readers of a stream.
    func topicID(of topic: SliceTopic) -> TopicID {
        switch topic {
        case .slice(let index, let owner): topicsByModule[index].slice.forSession(owner)
        case .change(let index, let owner): topicsByModule[index].change.forSession(owner)
        }
    }

    /// Sends the slices that a new version changed. `owners` are the owners whose slices differ;
    /// `nil` if the slices of all owners may differ. The publishing thread calls this function.
    func distribute(
        _ new: Snapshot,
        after old: Snapshot,
        for filter: ReaderFilter?,
        _ owners: Set<ExactText>? = []
    ) {
        for index in topicsByModule.indices
        where new.slices[index].version != old.slices[index].version {
            let (mine, before) = (new.slices[index], old.slices[index])
            distributeSlice(index, nil, mine, after: before, at: mine.version, for: filter)
        }
        for owner in watchingViewers.viewers(of: owners).compactMap(\.session) {
            for index in layout.readerDependentModules
            where new.slices[index].version != old.slices[index].version {
                let mine = new.slices[index].visible(to: owner.text)
                let before = old.slices[index].visible(to: owner.text)
                guard mine.differs(from: before) else { continue }
                let version = new.eventVersion(changed: mine.version, after: before.version)
                distributeSlice(index, owner, mine, after: before, at: version, for: filter)
            }
        }
    }

    private func distributeSlice(
        _ index: Int,
        _ owner: ExactText?,
        _ new: PublishedSlice,
        after old: PublishedSlice,
        at version: UInt64,
        for filter: ReaderFilter?
    ) {
        // The pieces of a slice are only joined if the slice has readers.
        distributor.distribute(to: topicsByModule[index].slice.forSession(owner), for: filter) {
            distributor.topicVersion(
                of: new.bytes,
                since: version,
                in: $0,
                after: old.documentWithTables
            )
        }
        let changes = topicsByModule[index].change.forSession(owner)
        guard distributor.streams.hasReaders(changes) else { return }
        let change = Self.changeJSON(old.bytes, new.bytes)
        distributor.distribute(change, to: changes, since: version, for: filter)
    }

    /// Returns the first frame of a stream that opens. In a stream of changes, the first frame has
    /// the slice without an earlier value. No other reader shares this frame. The publishing thread
    /// calls this function.
    func firstFrame(
        of topic: SliceTopic,
        in mode: StreamMode,
        from snapshot: Snapshot
    ) -> FirstFrame {
        if let owner = topic.owner { watchingViewers.insert(Viewer(session: owner)) }
        let slice = snapshot.slice(topic.module, for: topic.owner)
        guard case .change = topic else {
            let (bytes, version) = (slice.bytes, slice.version)
            let first = distributor.topicVersion(of: bytes, since: version, in: mode, isKnown: true)
            return .shared(first, through: version)
        }
        let tag = Tag(epoch: distributor.epoch, version: slice.version)
        let change = Self.changeJSON(nil, slice.bytes)
        return .own(SSEFrame.state(change, at: tag), version: slice.version)
    }

    /// Returns a slice before and after a change, as JSON.
    private static func changeJSON(_ old: Bytes?, _ new: Bytes?) -> Bytes {
        var json = JSONWriter(capacity: 32 + (old?.count ?? 0) + (new?.count ?? 0))
        json.object { json in
            json.key("old")
            if let old { json.raw(old) } else { json.null() }
            json.key("new")
            if let new { json.raw(new) } else { json.null() }
        }
        return json.bytes
    }
}

extension Snapshot {
    /// Returns the slice of the module at an index; the slice of the owner if `owner` is not `nil`.
    func slice(_ module: Int, for owner: ExactText?) -> PublishedSlice {
        owner.map { slices[module].visible(to: $0.text) } ?? slices[module]
    }
}

/// The subject of a module's stream: the module's index, and the reader's session or user if the
/// slices have owners.
package enum SliceTopic: Hashable, Sendable {
    /// The slice.
    case slice(Int, ExactText? = nil)
    /// The slice, with its value before the change.
    case change(Int, ExactText? = nil)

    var module: Int {
        switch self {
        case .slice(let module, _), .change(let module, _): module
        }
    }

    /// The owner on whose behalf the stream reads the slice.
    var owner: ExactText? {
        switch self {
        case .slice(_, let owner), .change(_, let owner): owner
        }
    }
}
