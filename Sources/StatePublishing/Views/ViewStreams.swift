import ActionCatalog
import EventStream
import Platform
import StoreCore
import Synchronization
package import Telemetry
package import Wire

/// Sends the projections that clients watch, each made once for each change of what it reads.
///
/// They are made on the publishing thread, of states that the Core hands over where a watched view
/// reads what an action changed.
package final class ViewStreams<State: Codable & Equatable & Sendable>: PublishedViews {
    /// From how many on those that are read no more make room.
    private static var sweepMin: Int { 64 }

    /// A projection that is watched, with the last frame that was sent.
    private final class Watched: @unchecked Sendable {
        // Safety: what is not constant is touched on the publishing thread alone, or by the one
        // that stands in for it.
        let request: ViewRequest
        /// What it carried, and its version. `nil` until then.
        var bytes: Bytes?
        var version: UInt64?
        /// The version that it was made of last.
        var made: UInt64 = 0

        init(_ request: ViewRequest) {
            self.request = request
        }
    }

    /// What a view reads: a module, and of which session.
    private struct Source: Hashable, Sendable {
        let module: Int
        var session: ExactText?
    }

    private struct Table: Sendable {
        var views: [TopicID: Watched] = [:]
        /// The same by what they read.
        var readers: [Source: [Watched]] = [:]
        /// At how many those that are read no more are looked for.
        var sweepAt = ViewStreams.sweepMin

        mutating func watched(_ request: ViewRequest, _ sources: [Source]) -> Watched {
            if let known = views[request.topic] { return known }
            let new = Watched(request)
            views[request.topic] = new
            for source in sources { readers[source, default: []].append(new) }
            return new
        }

        /// The views that read what two versions have otherwise, a list for each source.
        func lists(_ new: Snapshot, after old: Snapshot) -> [[Watched]] {
            let modules = new.slices.indices.filter {
                new.slices[$0].version != old.slices[$0].version
            }
            var sources = modules.map { Source(module: $0) }
            let ofSessions = modules.filter { new.slices[$0].sessions != nil }
            if !ofSessions.isEmpty {
                if let sessions = new.sessions(changedSince: old) {
                    sources += sessions.flatMap { session in
                        ofSessions.map { Source(module: $0, session: session) }
                    }
                } else {
                    sources = readers.keys.filter { modules.contains($0.module) }
                }
            }
            return sources.compactMap { readers[$0] }
        }

        mutating func remove(_ unread: [Watched]) {
            for watched in unread where views[watched.request.topic] === watched {
                views[watched.request.topic] = nil
            }
            let gone = Set(unread.map { ObjectIdentifier($0) })
            for (source, watching) in readers {
                let kept = watching.filter { !gone.contains(ObjectIdentifier($0)) }
                readers[source] = kept.isEmpty ? nil : kept
            }
        }
    }

    private let projections: ViewProjections<State>
    private let sender: PartSender
    private let encoder: JSONEncoder
    private let logger: Logger
    private let table = Locked(Table())
    /// The modules that watched views read. The Core looks here at each commit, so that it does not
    /// wait for a thread that goes through the table.
    private let modulesRead = Locked<Set<Int>>([])

    package init(
        _ projections: ViewProjections<State>,
        _ sender: PartSender,
        _ encoder: JSONEncoder,
        _ logger: Logger
    ) {
        self.projections = projections
        self.sender = sender
        self.encoder = encoder
        self.logger = logger
    }

    package var views: [PublishedView] { projections.views.map(\.published) }

    package func hasRoom(for request: ViewRequest) -> Bool {
        let topic = request.topic
        let (isFull, isKnown) = table.withLock { table in
            (
                table.views.count >= min(table.sweepAt, ViewBounds.watchedMax),
                table.views[topic] != nil
            )
        }
        guard isFull, !isKnown else { return true }
        return sweep() < ViewBounds.watchedMax
    }

    /// Drops the views that have no readers any more. Returns how many are left.
    private func sweep() -> Int {
        // Most are read, which is not asked while the table is locked.
        let unread = table.withLock { $0.views }.values.filter { !sender.isRead($0.request.topic) }
        return change { table in
            // A stream that is about to open has its place before it comes here.
            if !unread.isEmpty { table.remove(unread.filter { !sender.isRead($0.request.topic) }) }
            table.sweepAt = max(Self.sweepMin, 2 * table.views.count)
            return table.views.count
        }
    }

    /// Begins to watch, where that is not done already: from now on ``reads(_:since:)`` is asked
    /// for it. On the Core's thread.
    package func watch(_ request: ViewRequest) {
        change { _ = $0.watched(request, sources(of: request)) }
    }

    /// What a view reads: of each module the slice that its session sees.
    private func sources(of request: ViewRequest) -> [Source] {
        projections.views[request.view].published.reads.map { module in
            let isOfSession = projections.ofSessions.contains(module)
            return Source(module: module, session: isOfSession ? request.session : nil)
        }
    }

    private func change<Result: Sendable>(
        _ change: (inout Table) -> Result
    ) -> Result {
        table.withLock { table in
            let result = change(&table)
            let modules = Set(table.readers.keys.map(\.module))
            modulesRead.withLock { if $0 != modules { $0 = modules } }
            return result
        }
    }

    /// Whether a watched view reads what a version has changed. On the Core's thread.
    package func reads(_ new: Snapshot, since old: Snapshot) -> Bool {
        modulesRead.withLock { modules in
            modules.contains { new.slices[$0].version != old.slices[$0].version }
        }
    }

    /// Sends what there is to a stream that is about to open. On the publishing thread.
    package func begin(_ request: ViewRequest, _ state: State, _ version: UInt64) {
        let watched = change {
            $0.watched(request, sources(of: request))
        }
        let isKnown = watched.version != nil
        if !isKnown { (watched.bytes, watched.version) = (made(request, state), version) }
        send(watched, isKnown: isKnown)
    }

    /// A version is published. On the publishing thread, which may pause in `breathe`, between one
    /// view and the next.
    func publish(
        _ state: State,
        _ new: Snapshot,
        after old: Snapshot,
        for audience: StreamAudience?,
        _ breathe: () -> Void = {}
    ) {
        let version = new.version
        // The lists are shared, not copied, while the table is locked.
        let lists = table.withLock { $0.lists(new, after: old) }
        var hasUnread = false
        for watched in lists.joined() {
            // One that has not begun, or began later, is sent a newer state than this; and one that
            // reads several of the modules is made once.
            guard let known = watched.version, known < version, watched.made < version else {
                continue
            }
            guard sender.isRead(watched.request.topic) else {
                hasUnread = true
                continue
            }
            breathe()
            let bytes = made(watched.request, state)
            watched.made = version
            guard bytes != watched.bytes else { continue }
            (watched.bytes, watched.version) = (bytes, version)
            send(watched, for: audience)
        }
        if hasUnread { _ = sweep() }
    }

    /// Forgets what was sent: versions were published while no stream was open.
    package func forget() {
        _ = sweep()
        let all = table.withLock { Array($0.views.values) }
        for watched in all { (watched.bytes, watched.version) = (nil, nil) }
    }

    package func bytes(of request: ViewRequest, in snapshot: Snapshot) throws(JSONError) -> Bytes? {
        let reads = projections.views[request.view].published.reads
        let session = request.session?.text
        return made(request, try projections.state(snapshot.slices, reads, session), isShown: true)
    }

    /// The projection as JSON; `nil` where there is nothing to show.
    private func made(
        _ request: ViewRequest,
        _ state: State,
        isShown: Bool = false
    ) -> Bytes? {
        let description = projections.views[request.view]
        var state = state
        // The state is read on behalf of the session that acted last.
        if !isShown, !projections.ofSessions.isEmpty {
            projections.show(&state, request.session?.text ?? SessionName.shared)
        }
        guard let view = description.make(state, request.parameters) else { return nil }
        do {
            return try encoder.encodeShared(AnyEncodable(view))
        } catch {
            logger.warning(
                "the view \(description.published.name) has no JSON form: "
                    + error.messageForOperators
            )
            return nil
        }
    }

    private func send(
        _ watched: Watched,
        for audience: StreamAudience? = nil,
        isKnown: Bool = false
    ) {
        guard let version = watched.version else { return }
        sender.send(
            watched.bytes,
            to: watched.request.topic,
            since: version,
            for: audience,
            isKnown: isKnown
        )
    }
}

/// The bounds on views.
package enum ViewBounds {
    /// The most different projections, by name and parameters, that are watched at a time.
    package static let watchedMax = 1_000
}
