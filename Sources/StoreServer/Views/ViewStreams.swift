import EventStream
import Locks
import StoreCore
import Synchronization
import Wire

/// Sends the projections that somebody watches, each made once for each change of what it reads.
final class ViewStreams<State: Codable & Equatable & Sendable>: Sendable {
    /// The most different projections, by name and parameters, that are watched at a time.
    static var watchedMax: Int { 1_000 }

    /// A projection with its parameters.
    struct Watch: Sendable {
        let view: ViewDescription<State>
        let parameters: any Codable & Sendable
        let topic: TopicID
        /// What was sent last, and of which version it is; `nil` where nothing was sent yet.
        var bytes: Bytes?
        var version: UInt64?

        init(_ view: ViewDescription<State>, _ parameters: any Codable & Sendable, _ query: String)
        {
            self.view = view
            self.parameters = parameters
            topic = TopicID("views/" + view.name + query)
        }
    }

    private let sender: PartSender
    private let encoder: JSONEncoder
    private let watched = Locked<[TopicID: Watch]>([:])

    init(_ sender: PartSender, _ encoder: JSONEncoder) {
        self.sender = sender
        self.encoder = encoder
    }

    /// Whether one more may be watched; those that nobody reads any more make room.
    func hasRoom(for topic: TopicID) -> Bool {
        watched.withLock { watched in
            if watched[topic] != nil { return true }
            watched = watched.filter { sender.isRead($0.key) }
            return watched.count < Self.watchedMax
        }
    }

    /// Begins to watch, where that is not done already, and sends what there is. On the Core's thread.
    func begin(_ watch: Watch, _ state: State, _ version: UInt64) {
        var watch = watched.withLock { $0[watch.topic] } ?? watch
        if watch.version == nil {
            (watch.bytes, watch.version) = (made(watch, state), version)
            watched.withLock { $0[watch.topic] = watch }
        }
        send(watch)
    }

    /// A batch is durable, which changed these modules. On the Core's thread.
    func publish(
        _ state: State,
        _ version: UInt64,
        changed modules: Set<Int>,
        for audience: Audience?
    ) {
        let due = watched.withLock { watched in
            watched.values.filter { !$0.view.reads.isDisjoint(with: modules) }
        }
        for var watch in due {
            guard sender.isRead(watch.topic) else {
                watched.withLock { _ = $0.removeValue(forKey: watch.topic) }
                continue
            }
            let bytes = made(watch, state)
            guard bytes != watch.bytes else { continue }
            (watch.bytes, watch.version) = (bytes, version)
            watched.withLock { $0[watch.topic] = watch }
            send(watch, for: audience)
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

    private func send(_ watch: Watch, for audience: Audience? = nil) {
        guard let version = watch.version else { return }
        sender.send(watch.bytes, to: watch.topic, since: version, for: audience)
    }
}
