import StoreActionCatalog
import StoreCore
import StoreEventStream
import StorePlatform
package import StoreTelemetry
import StoreTexts
package import StoreWire
import Synchronization

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
        /// How many each session watches; under `nil`, those that show the same to all.
        var counts: [ExactText?: Int] = [:]
        /// At how many those that are read no more are looked for.
        var sweepAt = ViewStreams.sweepMin

        mutating func watched(_ request: ViewRequest, _ sources: [Source]) -> Watched {
            if let known = views[request.topic] { return known }
            let new = Watched(request)
            views[request.topic] = new
            counts[request.session, default: 0] += 1
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
                let count = (counts[watched.request.session] ?? 1) - 1
                counts[watched.request.session] = count > 0 ? count : nil
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
        let (topic, session) = (request.topic, request.session)
        let max = ViewBounds.watchedMax(of: session)
        let (count, isKnown, isDue) = table.withLock { table in
            (
                table.counts[session] ?? 0, table.views[topic] != nil,
                table.views.count >= table.sweepAt
            )
        }
        if isKnown { return true }
        if isDue || count >= max { sweep() }
        return count < max || table.withLock { $0.counts[session] ?? 0 } < max
    }

    /// Drops the views that have no readers any more.
    private func sweep() {
        // Most are read, which is not asked while the table is locked.
        let unread = table.withLock { $0.views }.values.filter { !sender.isRead($0.request.topic) }
        change { table in
            // A stream that is about to open has its place before it comes here.
            if !unread.isEmpty { table.remove(unread.filter { !sender.isRead($0.request.topic) }) }
            table.sweepAt = max(Self.sweepMin, 2 * table.views.count)
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
        if !isKnown {
            // One that can't be made has nothing to show; the log has the reason.
            (watched.bytes, watched.version) = (try? madeOrLogged(request, state), version)
        }
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
            watched.made = version
            let bytes: Bytes?
            do { bytes = try madeOrLogged(watched.request, state) } catch {
                // Its readers keep what they have.
                continue
            }
            guard bytes != watched.bytes else { continue }
            (watched.bytes, watched.version) = (bytes, version)
            send(watched, for: audience)
        }
        if hasUnread { sweep() }
    }

    /// Forgets what was sent: versions were published while no stream was open.
    package func forget() {
        sweep()
        let all = table.withLock { Array($0.views.values) }
        for watched in all { (watched.bytes, watched.version) = (nil, nil) }
    }

    package func bytes(of request: ViewRequest, in snapshot: Snapshot) throws(JSONError) -> Bytes? {
        let reads = projections.views[request.view].published.reads
        let session = request.session?.text
        let state = try projections.state(snapshot.slices, reads, session)
        return try made(request, state, isShown: true)
    }

    /// The same for streams, whose readers get no error: the log has a line.
    private func madeOrLogged(_ request: ViewRequest, _ state: State) throws(JSONError) -> Bytes? {
        do {
            return try made(request, state)
        } catch {
            let name = projections.views[request.view].published.name
            logger.error(
                .viewFailed,
                "the view \(name) can't be made: \(error.messageForOperators)"
            )
            throw error
        }
    }

    /// The projection as JSON; `nil` where there is nothing to show.
    ///
    /// - Throws: where it has no JSON form, or one of its links leads nowhere.
    private func made(
        _ request: ViewRequest,
        _ state: State,
        isShown: Bool = false
    ) throws(JSONError) -> Bytes? {
        let description = projections.views[request.view]
        var state = state
        // The state is read on behalf of the session that acted last.
        if !isShown, !projections.ofSessions.isEmpty {
            projections.show(&state, request.session?.text ?? SessionName.shared)
        }
        guard let view = description.make(state, request.parameters) else { return nil }
        return try encoder.encodeShared(AnyEncodable(view))
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
    /// The most different projections, by name and parameters, that are watched at a time, of those
    /// that show the same to all.
    package static let watchedMax = 1_000
    /// The most that one session watches, of those that show what is its own.
    package static let sessionWatchedMax = 64

    /// The session that all without one of their own have is watched by many.
    static func watchedMax(of session: ExactText?) -> Int {
        session == nil || session?.text == SessionName.shared ? watchedMax : sessionWatchedMax
    }
}
