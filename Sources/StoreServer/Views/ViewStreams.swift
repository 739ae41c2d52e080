import EventStream
import Locks
import StoreCore
import Synchronization
import Wire

/// Sends the projections that clients watch, each made once for each change of what it reads.
///
/// They are made on the publishing thread, of states that the Core hands over where a watched view
/// reads what an action changed.
final class ViewStreams<State: Codable & Equatable & Sendable>: Sendable {
    /// The most different projections, by name and parameters, that are watched at a time.
    static var watchedMax: Int { 1_000 }
    /// From how many on those that are read no more make room.
    private static var sweepMin: Int { 64 }

    /// A projection with its parameters.
    struct Watch: Sendable {
        let view: ViewDescription<State>
        let parameters: any Codable & Sendable
        let topic: TopicID
        /// The last frame that was sent: what it carried, and its version. `nil` until then.
        var bytes: Bytes?
        var version: UInt64?

        init(_ view: ViewDescription<State>, _ parameters: any Codable & Sendable, _ query: String)
        {
            self.view = view
            self.parameters = parameters
            topic = TopicID("views/" + view.name + query)
        }
    }

    private struct Watched: Sendable {
        var watches: [TopicID: Watch] = [:]
        /// The topics by the modules that they read.
        var readers: [Int: Set<TopicID>] = [:]
        /// At how many those that are read no more are looked for.
        var sweepAt = ViewStreams.sweepMin

        mutating func add(_ watch: Watch) {
            guard watches.updateValue(watch, forKey: watch.topic) == nil else { return }
            for module in watch.view.reads { readers[module, default: []].insert(watch.topic) }
        }

        mutating func remove(_ topic: TopicID) {
            guard let watch = watches.removeValue(forKey: topic) else { return }
            for module in watch.view.reads {
                readers[module]?.remove(topic)
                if readers[module]?.isEmpty == true { readers[module] = nil }
            }
        }
    }

    private let sender: PartSender
    private let encoder: JSONEncoder
    private let watched = Locked(Watched())

    init(_ sender: PartSender, _ encoder: JSONEncoder) {
        self.sender = sender
        self.encoder = encoder
    }

    /// Whether one more may be watched; those that are read no more make room.
    func hasRoom(for topic: TopicID) -> Bool {
        watched.withLock { watched in
            if watched.watches[topic] != nil { return true }
            guard watched.watches.count >= min(watched.sweepAt, Self.watchedMax) else {
                return true
            }
            for topic in watched.watches.keys where !sender.isRead(topic) { watched.remove(topic) }
            watched.sweepAt = max(Self.sweepMin, 2 * watched.watches.count)
            return watched.watches.count < Self.watchedMax
        }
    }

    /// Begins to watch, where that is not done already: from now on ``reads(_:since:)`` is asked for it.
    /// On the Core's thread.
    func watch(_ watch: Watch) {
        watched.withLock { watched in
            if watched.watches[watch.topic] == nil { watched.add(watch) }
        }
    }

    /// Whether a watched view reads what a version has changed. On the Core's thread.
    func reads(_ new: Snapshot, since old: Snapshot) -> Bool {
        watched.withLock { watched in
            watched.readers.keys.contains { new.slices[$0].version != old.slices[$0].version }
        }
    }

    /// Sends what there is to a stream that is about to open. On the publishing thread.
    func begin(_ watch: Watch, _ state: State, _ version: UInt64) {
        var watch = watched.withLock { $0.watches[watch.topic] } ?? watch
        let isKnown = watch.version != nil
        if !isKnown {
            (watch.bytes, watch.version) = (made(watch, state), version)
            keep(watch)
        }
        send(watch, isKnown: isKnown)
    }

    /// These modules have changed up to a version. On the publishing thread.
    func publish(
        _ state: State,
        _ version: UInt64,
        changed modules: Set<Int>,
        for audience: StreamAudience?
    ) {
        let due = watched.withLock { watched in
            modules.reduce(into: Set<TopicID>()) { $0.formUnion(watched.readers[$1] ?? []) }
                .compactMap { watched.watches[$0] }
        }
        for var watch in due {
            // One that has not begun, or began later, is sent a newer state than this.
            guard let known = watch.version, known < version else { continue }
            guard sender.isRead(watch.topic) else {
                watched.withLock { $0.remove(watch.topic) }
                continue
            }
            let bytes = made(watch, state)
            guard bytes != watch.bytes else { continue }
            (watch.bytes, watch.version) = (bytes, version)
            keep(watch)
            send(watch, for: audience)
        }
    }

    /// Forgets what was sent: versions were published while no stream was open.
    func forget() {
        watched.withLock { watched in
            for (topic, watch) in watched.watches {
                guard sender.isRead(topic) else {
                    watched.remove(topic)
                    continue
                }
                var watch = watch
                (watch.bytes, watch.version) = (nil, nil)
                watched.watches[topic] = watch
            }
        }
    }

    /// The projection as JSON; `nil` where there is nothing to show.
    func made(_ watch: Watch, _ state: State) -> Bytes? {
        guard let view = watch.view.make(state, watch.parameters) else { return nil }
        do {
            return try encoder.encodeShared(Whole(view))
        } catch {
            Log.warning("the view \(watch.view.name) has no JSON form: \(error.message)")
            return nil
        }
    }

    private func keep(_ watch: Watch) {
        watched.withLock { watched in
            if watched.watches[watch.topic] == nil { watched.add(watch) }
            watched.watches[watch.topic] = watch
        }
    }

    private func send(
        _ watch: Watch,
        for audience: StreamAudience? = nil,
        isKnown: Bool = false
    ) {
        guard let version = watch.version else { return }
        sender.send(
            watch.bytes,
            to: watch.topic,
            since: version,
            for: audience,
            isKnown: isKnown
        )
    }
}
