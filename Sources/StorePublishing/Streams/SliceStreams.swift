package import StoreEventStream
package import StoreJSON
package import StoreTexts

/// The streams of modules: a slice is only sent after it changed.
package final class SliceStreams: Sendable {
    private let sender: PartSender
    private let layout: SliceLayout
    /// The topics of each module, by which the stream writer finds its readers.
    private let topics: [(slice: TopicID, change: TopicID)]
    /// The sessions that read slices of their own.
    private let watching: WatchingViewers

    package init(_ layout: SliceLayout, _ sender: PartSender) {
        self.sender = sender
        self.layout = layout
        let topics = layout.names.map { name in
            (slice: TopicID(.slice(ExactText(name))), change: TopicID(.changes(ExactText(name))))
        }
        self.topics = topics
        watching = WatchingViewers { [ofSessions = layout.ofSessions] viewer in
            ofSessions.contains { index in
                sender.isRead(topics[index].slice.seen(by: viewer))
                    || sender.streams.isRead(topics[index].change.seen(by: viewer))
            }
        }
    }

    /// Returns the topic by which the stream writer finds the readers.
    package func id(of topic: SliceTopic) -> TopicID {
        switch topic {
        case .slice(let index, let session): topics[index].slice.seen(by: session)
        case .change(let index, let session): topics[index].change.seen(by: session)
        }
    }

    /// Sends the slices that a new version changed. `sessions` are the sessions whose own slices
    /// differ; `nil` if all may differ. The publishing thread calls it.
    func distribute(
        _ new: Snapshot,
        after old: Snapshot,
        for audience: StreamAudience?,
        _ sessions: Set<ExactText>? = []
    ) {
        for index in topics.indices where new.slices[index].version != old.slices[index].version {
            let (mine, before) = (new.slices[index], old.slices[index])
            send(index, nil, mine, after: before, at: mine.version, for: audience)
        }
        for session in watching.among(sessions).compactMap(\.session) {
            for index in layout.ofSessions {
                guard new.slices[index].version != old.slices[index].version else { continue }
                let mine = new.slices[index].visible(to: session.text)
                let before = old.slices[index].visible(to: session.text)
                guard mine.differs(from: before) else { continue }
                let version = new.version(mine.version, after: before.version)
                send(index, session, mine, after: before, at: version, for: audience)
            }
        }
    }

    private func send(
        _ index: Int,
        _ session: ExactText?,
        _ new: PublishedSlice,
        after old: PublishedSlice,
        at version: UInt64,
        for audience: StreamAudience?
    ) {
        // A slice with instances is only joined if it has readers.
        let topic = topics[index].slice.seen(by: session)
        if sender.isRead(topic) {
            sender.send(new.bytes, to: topic, since: version, for: audience)
        }
        let changes = topics[index].change.seen(by: session)
        guard sender.streams.isRead(changes) else { return }
        let change = Self.change(from: old.bytes, to: new.bytes)
        sender.send(change, to: changes, since: version, for: audience)
    }

    /// Publishes the first frame for a stream that is about to open. The publishing thread calls
    /// it.
    package func announce(_ topic: SliceTopic, in snapshot: Snapshot) {
        if let session = topic.session { watching.insert(Viewer(session: session)) }
        // Readers of changes get a first frame of their own.
        guard case .slice(let index, let session) = topic else { return }
        let slice = snapshot.slice(index, for: session)
        sender.send(slice.bytes, to: id(of: topic), since: slice.version, isKnown: true)
    }

    /// Returns a slice before and after a change, as JSON.
    package static func change(from old: Bytes?, to new: Bytes?) -> Bytes {
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
    /// Returns the slice of the module at an index; the slice of the session if `session` is not
    /// `nil`.
    package func slice(_ module: Int, for session: ExactText?) -> PublishedSlice {
        session.map { slices[module].visible(to: $0.text) } ?? slices[module]
    }
}

/// The subject of a module's stream: the module's index, and the session that reads it if each
/// session has a slice.
package enum SliceTopic: Hashable, Sendable {
    /// The slice.
    case slice(Int, ExactText? = nil)
    /// The slice, with its value before the change.
    case change(Int, ExactText? = nil)

    /// The session on whose behalf the stream reads the slice.
    var session: ExactText? {
        switch self {
        case .slice(_, let session), .change(_, let session): session
        }
    }
}
