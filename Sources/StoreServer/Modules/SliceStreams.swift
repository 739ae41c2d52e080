import EventStream
import HTTPTransport
import StoreCore
import Wire

/// Sends the slices of modules to those who read them, each only when it has changed.
final class SliceStreams: Sendable {
    private let names: [String]
    private let sender: PartSender

    init(_ names: [String], _ sender: PartSender) {
        self.names = names
        self.sender = sender
    }

    /// The topic under which the stream writer knows it.
    func id(of topic: SliceTopic) -> TopicID {
        let name = "modules/" + names[topic.module]
        return switch topic {
        case .slice: TopicID(name)
        case .change: TopicID(name + "?old")
        }
    }

    /// A version is published. The Core's thread calls it.
    func publish(_ new: Snapshot, after old: Snapshot?, for audience: Audience?) {
        for index in names.indices where new.slices[index].version != old?.slices[index].version {
            let slice = new.slices[index]
            let whole = id(of: .slice(index))
            // Of a module with instances the whole is put together for its readers alone.
            if sender.isRead(whole) {
                sender.send(slice.bytes, to: whole, since: slice.version, for: audience)
            }
            let changes = id(of: .change(index))
            guard sender.streams.isRead(changes) else { continue }
            let change = Self.change(from: old?.slices[index].bytes, to: slice.bytes)
            sender.send(change, to: changes, since: slice.version, for: audience)
        }
    }

    /// Gives a stream that is about to open what it begins with.
    func announce(_ topic: SliceTopic, in snapshot: Snapshot) {
        // The readers of changes begin with a frame of their own.
        guard case .slice(let index) = topic else { return }
        let slice = snapshot.slices[index]
        sender.send(slice.bytes, to: id(of: topic), since: slice.version)
    }

    /// A slice before and after a change, as JSON.
    static func change(from old: Bytes?, to new: Bytes?) -> Bytes {
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
