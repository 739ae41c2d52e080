import StoreActionCatalog
import StoreCore
package import StoreJSON
import StorePlatform
package import StoreTelemetry
import StoreTexts
import StoreWire
import Synchronization

/// The streams of watched views. Each view is made once for each change of its sources.
///
/// Views are made on the publishing thread. The Core passes a state to this thread if an action
/// changed a module that a watched view reads.
package final class ViewStreams<State: Codable & Equatable & Sendable>: PublishedViews {
    /// The minimum number of views at which views without readers are dropped.
    private static var sweepCountMin: Int { 64 }

    /// A watched view, with its last frame.
    private final class WatchedView: @unchecked Sendable {
        // Safety: only the publishing thread, or the thread that stands in for it, uses the
        // variables. The request is immutable.
        let request: ViewRequest
        /// The bytes of the last frame. The bytes are only valid if `sentVersion` is not `nil`.
        var bytes: Bytes?
        var sentVersion: UInt64?
        /// The version of the state from which the view was made last.
        var madeVersion: UInt64 = 0

        init(_ request: ViewRequest) { self.request = request }
    }

    /// A source of a view: a module, and an owner if the module's slices have owners.
    private struct Source: Hashable, Sendable {
        let module: Int
        var owner: ExactText?
    }

    private struct Table: Sendable {
        var viewsByTopic: [TopicID: WatchedView] = [:]
        /// The views by their sources.
        var viewsBySource: [Source: [WatchedView]] = [:]
        /// The number of watched views of each session, or else of each user. Under `nil`: the
        /// number of views that are the same for all clients.
        var countsByOwner: [ExactText?: Int] = [:]
        /// The number of views at which views without readers are dropped next.
        var nextSweepCount = ViewStreams.sweepCountMin

        mutating func findOrInsert(_ request: ViewRequest, _ sources: [Source]) -> WatchedView {
            if let known = viewsByTopic[request.topic] { return known }
            let new = WatchedView(request)
            viewsByTopic[request.topic] = new
            countsByOwner[request.boundedOwner, default: 0] += 1
            for source in sources { viewsBySource[source, default: []].append(new) }
            return new
        }

        /// Returns the views whose sources differ between two versions: a list for each source.
        func affectedViews(_ new: Snapshot, after old: Snapshot) -> [[WatchedView]] {
            let (mine, theirs) = (new.slices, old.slices)
            let modules = mine.indices.filter { mine[$0].version != theirs[$0].version }
            var sources = modules.map { Source(module: $0) }
            let owned = modules.filter { mine[$0].dependsOnReader }
            if !owned.isEmpty {
                if let owners = new.owners(changedSince: old) {
                    sources += owners.flatMap { owner in
                        owned.map { Source(module: $0, owner: owner) }
                    }
                } else {
                    sources = viewsBySource.keys.filter { modules.contains($0.module) }
                }
            }
            return sources.compactMap { viewsBySource[$0] }
        }

        mutating func remove(_ unread: [WatchedView]) {
            for watched in unread where viewsByTopic[watched.request.topic] === watched {
                viewsByTopic[watched.request.topic] = nil
                let count = (countsByOwner[watched.request.boundedOwner] ?? 1) - 1
                countsByOwner[watched.request.boundedOwner] = count > 0 ? count : nil
            }
            let gone = Set(unread.map { ObjectIdentifier($0) })
            for (source, watching) in viewsBySource {
                let kept = watching.filter { !gone.contains(ObjectIdentifier($0)) }
                viewsBySource[source] = kept.isEmpty ? nil : kept
            }
        }
    }

    private let projections: ViewProjections<State>
    private let distributor: TopicDistributor
    private let encoder: JSONEncoder
    private let logger: Logger
    private let table = Locked(Table())
    /// The modules that watched views read. The set has its own lock, so that no commit of the Core
    /// waits for a thread that iterates over the table.
    private let modulesRead = Locked<Set<Int>>([])
    private let readState = Locked<StateAccess>({ _ in })

    /// A function that calls its argument with the state and the state's version, on the Core's
    /// thread.
    package typealias StateAccess = @Sendable (@escaping @Sendable (State, UInt64) -> Void) -> Void

    package init(
        _ projections: ViewProjections<State>,
        _ distributor: TopicDistributor,
        _ encoder: JSONEncoder,
        _ logger: Logger
    ) {
        self.projections = projections
        self.distributor = distributor
        self.encoder = encoder
        self.logger = logger
    }

    /// Sets the function that reads the state on the Core's thread. Call this function before the
    /// Core starts.
    package func setStateAccess(_ look: @escaping StateAccess) {
        self.readState.withLock { $0 = look }
    }

    package var views: [PublishedView] { projections.views.map(\.published) }

    package func hasRoom(for request: ViewRequest) -> Bool {
        let (topic, owner) = (request.topic, request.boundedOwner)
        let max = ViewBounds.watchedMax(of: owner)
        let (count, isKnown, isDue) = table.withLock {
            (
                $0.countsByOwner[owner] ?? 0, $0.viewsByTopic[topic] != nil,
                $0.viewsByTopic.count >= $0.nextSweepCount
            )
        }
        if isKnown { return true }
        if isDue || count >= max { sweep() }
        return count < max || table.withLock { $0.countsByOwner[owner] ?? 0 } < max
    }

    private func sweep() {
        // Look for views without readers while the table is unlocked. The search visits all views,
        // and would hold the lock for a long time. Only a few views remain for the second check.
        let unread = table.withLock { $0.viewsByTopic }.values.filter {
            !distributor.hasReaders($0.request.topic)
        }
        changeTable { table in
            // Check again under the lock: a stream that is about to open may have reserved its
            // place meanwhile.
            if !unread.isEmpty {
                table.remove(unread.filter { !distributor.hasReaders($0.request.topic) })
            }
            table.nextSweepCount = max(Self.sweepCountMin, 2 * table.viewsByTopic.count)
        }
    }

    package func open(_ request: ViewRequest, in streams: StateStreams) {
        let look = readState.withLock { $0 }
        look { [self] state, version in
            // ``hasChangedSource(_:since:)`` considers the view from now on.
            changeTable { _ = $0.findOrInsert(request, sources(of: request)) }
            streams.publishingThread.perform { [self] _ in sendFirstFrame(request, state, version) }
        }
    }

    /// Returns the sources of a view: for each module, the slice that the viewer of the request
    /// reads.
    private func sources(of request: ViewRequest) -> [Source] {
        projections.views[request.viewIndex].published.readableMembers.map { module in
            Source(module: module, owner: projections.owner(request.viewer, module)?.owner)
        }
    }

    private func changeTable<Result: Sendable>(_ change: (inout Table) -> Result) -> Result {
        table.withLock { table in
            let result = change(&table)
            let modules = Set(table.viewsBySource.keys.map(\.module))
            modulesRead.withLock { if $0 != modules { $0 = modules } }
            return result
        }
    }

    /// Returns true if a version has changed a source of a watched view. The Core's thread calls
    /// this function.
    func hasChangedSource(_ new: Snapshot, since old: Snapshot) -> Bool {
        modulesRead.withLock { modules in
            modules.contains { new.slices[$0].version != old.slices[$0].version }
        }
    }

    /// Sends the first frame to a stream. The publishing thread calls this function.
    private func sendFirstFrame(_ request: ViewRequest, _ state: State, _ version: UInt64) {
        let watched = changeTable { $0.findOrInsert(request, sources(of: request)) }
        let known = watched.sentVersion
        if known == nil {
            // A view that can't be made shows nothing; the log has the reason.
            (watched.bytes, watched.sentVersion) = (
                try? encodeViewLoggingErrors(request, state), version
            )
        }
        let (bytes, number) = (watched.bytes, known ?? version)
        distributor.distribute(to: request.topic, for: nil) {
            distributor.topicVersion(of: bytes, since: number, in: $0, isKnown: known != nil)
        }
    }

    /// Sends the watched views that a new version changed. The publishing thread calls this
    /// function, and may pause in `pauseIfBusy` between two views.
    func distribute(
        _ state: State,
        _ new: Snapshot,
        after old: Snapshot,
        for filter: ReaderFilter?,
        _ pauseIfBusy: () -> Void = {}
    ) {
        let version = new.version
        // Under the lock, the lists of views are shared, and no list is copied.
        let lists = table.withLock { $0.affectedViews(new, after: old) }
        var hasUnread = false
        for watched in lists.joined() {
            // Skip a view whose first frame is not sent yet, or has a later version: such a view
            // gets a newer state. Make a view with several changed sources only once.
            guard let known = watched.sentVersion, known < version, watched.madeVersion < version
            else {
                continue
            }
            guard distributor.hasReaders(watched.request.topic) else {
                hasUnread = true
                continue
            }
            pauseIfBusy()
            watched.madeVersion = version
            let bytes: Bytes?
            // After an error, the readers keep the previous frame.
            do { bytes = try encodeViewLoggingErrors(watched.request, state) } catch { continue }
            guard bytes != watched.bytes else { continue }
            (watched.bytes, watched.sentVersion) = (bytes, version)
            distributor.distribute(bytes, to: watched.request.topic, since: version, for: filter)
        }
        if hasUnread { sweep() }
    }

    package func forgetSentFrames() {
        sweep()
        let all = table.withLock { Array($0.viewsByTopic.values) }
        for watched in all { (watched.bytes, watched.sentVersion) = (nil, nil) }
    }

    package func bytes(of request: ViewRequest, in snapshot: Snapshot) throws(JSONError) -> Bytes? {
        let reads = projections.views[request.viewIndex].published.readableMembers
        let state = try projections.makeState(snapshot.slices, reads, request.viewer)
        return try encodeView(request, state, isShown: true)
    }

    /// Makes a view for streams. Logs an error, because the readers of streams get no error.
    private func encodeViewLoggingErrors(_ request: ViewRequest, _ state: State) throws(JSONError)
        -> Bytes?
    {
        do {
            return try encodeView(request, state)
        } catch {
            let name = projections.views[request.viewIndex].published.name
            let reason = error.messageForOperators
            logger.error(.viewFailed, "the view \(name) can't be made: \(reason)")
            throw error
        }
    }

    /// Returns the view as JSON; `nil` if there is nothing to show. Throws an error if the view has
    /// no JSON form, or has a link to an action without an address.
    private func encodeView(
        _ request: ViewRequest,
        _ state: State,
        isShown: Bool = false
    ) throws(JSONError) -> Bytes? {
        let description = projections.views[request.viewIndex]
        var state = state
        // The state may still show the slices of another client: the sender of the last action.
        if !isShown { projections.setViewer?(&state, request.viewer) }
        guard let view = description.makeView(state, request.parameters, request.context) else {
            return nil
        }
        return try encoder.encodeShared(AnyEncodable(view))
    }
}

/// The bounds on views.
package enum ViewBounds {
    /// The bound on watched views that are the same for all readers. A view counts once for each
    /// set of its parameters.
    package static let sharedWatchedViewsMax = 1_000
    /// The bound on the watched views of one session, or of one user.
    package static let sessionWatchedViewsMax = 64

    /// Returns the bound for a session or a user. All clients without a session of their own share
    /// one session, which has the larger bound.
    static func watchedMax(of owner: ExactText?) -> Int {
        let session = owner.flatMap { OwnerName.session(of: $0.text) }
        return owner == nil || session == SessionName.shared
            ? sharedWatchedViewsMax : sessionWatchedViewsMax
    }
}
