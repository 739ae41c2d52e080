import EventStream
import HTTPTransport
import Locks
import StoreCore
import Synchronization
import Wire

/// Sends the slices of modules to those who read them, each only when it has changed.
final class SliceStreams: Sendable {
    private struct Watched: Sendable {
        var bytes: Bytes?
        var version: UInt64
    }

    /// From how many on those that nobody reads any more make room.
    private static let instancesMax = 1_000

    private let names: [String]
    private let streams: StreamWriter
    private let epoch: Epoch
    /// The instances that are read, as they were sent last, and some that are read no longer.
    private let instances = Locked<[SliceTopic: Watched]>([:])

    init(_ names: [String], _ streams: StreamWriter, _ epoch: Epoch) {
        self.names = names
        self.streams = streams
        self.epoch = epoch
    }

    /// The topic under which the stream writer knows it.
    func id(of topic: SliceTopic) -> TopicID {
        let name = "modules/" + names[topic.module]
        return switch topic {
        case .slice: TopicID(name)
        case .change: TopicID(name + "?old")
        case .instance(_, let id): TopicID(name + "/" + id)
        }
    }

    /// A version is published. The Core's thread calls it.
    func publish(_ new: Snapshot, after old: Snapshot?, for audience: Audience?) {
        for index in names.indices where new.slices[index].version != old?.slices[index].version {
            let slice = new.slices[index]
            if streams.isRead(id(of: .slice(index))) {
                send(slice.bytes, .slice(index), slice.version, audience)
            }
            if streams.isRead(id(of: .change(index))) {
                send(
                    Self.change(from: old?.slices[index].bytes, to: slice.bytes),
                    .change(index),
                    slice.version,
                    audience
                )
            }
            publishInstances(of: index, slice, audience)
        }
    }

    /// Gives a stream that is about to open what it begins with.
    func announce(_ topic: SliceTopic, in snapshot: Snapshot) {
        let slice = snapshot.slices[topic.module]
        switch topic {
        case .slice: send(slice.bytes, topic, slice.version)
        // Its readers begin with a frame of their own.
        case .change: break
        case .instance(_, let id):
            let part = Self.instance(id, of: slice.bytes)
            let watched = instances.withLock { instances -> Watched in
                if let known = instances[topic], known.bytes == part { return known }
                let watched = Watched(bytes: part, version: slice.version)
                if instances.count >= Self.instancesMax {
                    instances = instances.filter { streams.isRead(self.id(of: $0.key)) }
                }
                instances[topic] = watched
                return watched
            }
            send(watched.bytes, topic, watched.version)
        }
    }

    private func publishInstances(
        of module: Int,
        _ slice: PublishedSlice,
        _ audience: Audience?
    ) {
        let changed = instances.withLock { instances -> [(SliceTopic, Bytes?)] in
            var changed: [(SliceTopic, Bytes?)] = []
            for (topic, watched) in instances where topic.module == module {
                guard streams.isRead(id(of: topic)), case .instance(_, let id) = topic else {
                    instances[topic] = nil
                    continue
                }
                let part = Self.instance(id, of: slice.bytes)
                guard part != watched.bytes else { continue }
                instances[topic] = Watched(bytes: part, version: slice.version)
                changed.append((topic, part))
            }
            return changed
        }
        for (topic, part) in changed { send(part, topic, slice.version, audience) }
    }

    private func send(
        _ bytes: Bytes?,
        _ topic: SliceTopic,
        _ version: UInt64,
        _ audience: Audience? = nil
    ) {
        let tag = Tag(epoch: epoch, version: version)
        let frame = bytes.map { SSEFrame.state($0, at: tag) } ?? SSEFrame.gone(at: tag)
        streams.publish(
            topic: id(of: topic),
            version: version,
            frame: Chunk.of(frame),
            for: audience?.includes
        )
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

    /// One instance's slice; `nil` where there is none.
    static func instance(_ id: String, of slice: Bytes?) -> Bytes? {
        slice?.withUnsafeBytes { bytes in
            // The server wrote these bytes itself; no bound of its clients applies to them.
            guard let document = try? JSONDocument(parsing: bytes, limits: .unbounded) else {
                return nil
            }
            return document.root.member(named: id).map { Bytes(Array($0.source)) }
        }
    }
}
