package import EventStream
import Texts
package import Wire

/// Sends the slices of modules to those who read them, each only when it has changed.
package final class SliceStreams: Sendable {
    private let sender: PartSender
    /// The topics of each module, under which the stream writer has them.
    private let topics: [(slice: TopicID, change: TopicID)]

    package init(_ names: [String], _ sender: PartSender) {
        self.sender = sender
        topics = names.map { name in
            (TopicID(.slice(ExactText(name))), TopicID(.changes(ExactText(name))))
        }
    }

    /// The topic under which the stream writer has it.
    package func id(of topic: SliceTopic) -> TopicID {
        switch topic {
        case .slice(let index): topics[index].slice
        case .change(let index): topics[index].change
        }
    }

    /// A version is published. The publishing thread calls it.
    func publish(_ new: Snapshot, after old: Snapshot, for audience: StreamAudience?) {
        for (index, topic) in topics.enumerated()
        where new.slices[index].version != old.slices[index].version {
            let slice = new.slices[index]
            // Of a module with instances the whole is put together for its readers alone.
            if sender.isRead(topic.slice) {
                sender.send(slice.bytes, to: topic.slice, since: slice.version, for: audience)
            }
            guard sender.streams.isRead(topic.change) else { continue }
            let change = Self.change(from: old.slices[index].bytes, to: slice.bytes)
            sender.send(change, to: topic.change, since: slice.version, for: audience)
        }
    }

    /// Gives a stream that is about to open what it begins with. The publishing thread calls it.
    package func announce(_ topic: SliceTopic, in snapshot: Snapshot) {
        // The readers of changes begin with a frame of their own.
        guard case .slice(let index) = topic else { return }
        let slice = snapshot.slices[index]
        sender.send(slice.bytes, to: id(of: topic), since: slice.version, isKnown: true)
    }

    /// A slice before and after a change, as JSON.
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
