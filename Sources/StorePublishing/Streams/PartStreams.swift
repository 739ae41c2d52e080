import StoreCore
package import StoreJSON
import StorePlatform
package import StoreWire
import Synchronization

/// The streams of watched parts of the state: instances of modules, and values at JSON Pointers. A
/// version of a part is only sent if the part has changed.
///
/// Watched parts are found by key. For a module with instances, a version costs time for the
/// watched parts of the changed instances only. For any other changed module, a version costs one
/// pass over the slice, which finds all watched parts.
package final class PartStreams: Sendable {
    /// The bound on watched pointers into shared slices.
    package static let pointersMax = 4_096
    /// The bound on the pointers that one client (a principal or an address) watches. An address
    /// that many clients share has no such bound.
    package static let clientPointersMax = 256
    /// The number of pointers, out of ``pointersMax``, that only clients with fewer than
    /// ``reservedPointersPerClientMax`` pointers may add.
    static let reservedPointerCount = 512
    static let reservedPointersPerClientMax = 4
    /// The bound on the watched pointers of one session into its own slices.
    package static let sessionPointersMax = 64
    /// The bound on the total bytes of the watched parts. At this bound, no further part is added.
    /// A single part may have any size.
    package static let watchedBytesMax = 64 << 20
    /// The bound on the bytes of one client's watched parts. At this bound, no further part of the
    /// client is added.
    package static let clientWatchedBytesMax = 16 << 20
    /// The minimum number of parts at which parts without readers are dropped.
    private static let sweepCountMin = 1_000

    /// The last frame that was sent for a part: its bytes and its version.
    private struct SentFrame: Sendable {
        let bytes: Bytes?
        let version: UInt64
    }

    private struct Table: Sendable {
        /// The parts of each container by the first token of their pointers. Under `nil`: the parts
        /// that are a whole container.
        var partsByContainer: [WatchedPart.Container: [ExactText?: [WatchedPart: SentFrame]]] = [:]
        /// The containers of each owner. Under `nil`: the containers of shared slices.
        var containersByOwner: [ExactText?: Set<WatchedPart.Container>] = [:]
        var partCount = 0
        /// The places of the clients that watch pointers.
        var places = WatchPlaces()
        /// The number of bytes of the parts at pointers.
        var watchedBytes = 0
        /// The number of parts at which parts without readers are dropped next.
        var nextSweepCount = PartStreams.sweepCountMin

        subscript(part: WatchedPart) -> SentFrame? {
            get { partsByContainer[part.container]?[part.firstToken]?[part] }
            set {
                let old = self[part]
                partsByContainer[part.container, default: [:]][part.firstToken, default: [:]][
                    part
                ] = newValue
                if part.isClientPointer {
                    watchedBytes += (newValue?.bytes?.count ?? 0) - (old?.bytes?.count ?? 0)
                }
                let change = (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
                guard change != 0 else { return }
                partCount += change
                let owner = part.container.owner?.owner
                containersByOwner[owner, default: []].insert(part.container)
                guard newValue == nil,
                    partsByContainer[part.container]?[part.firstToken]?.isEmpty == true
                else {
                    return
                }
                partsByContainer[part.container]?[part.firstToken] = nil
                guard partsByContainer[part.container]?.isEmpty == true else { return }
                partsByContainer[part.container] = nil
                containersByOwner[owner]?.remove(part.container)
                if containersByOwner[owner]?.isEmpty == true {
                    containersByOwner[owner] = nil
                }
            }
        }

        /// Returns the containers that may differ between two versions. Skips the owners without a
        /// change.
        func changedContainers(_ new: Snapshot, after old: Snapshot) -> [WatchedPart.Container] {
            guard new.hasOwners, let owners = new.owners(changedSince: old) else {
                return Array(partsByContainer.keys)
            }
            return owners.reduce(into: Array(containersByOwner[nil] ?? [])) { found, owner in
                found += containersByOwner[owner] ?? []
            }
        }

        /// Returns all parts of a container.
        func parts(of container: WatchedPart.Container) -> [WatchedPart] {
            partsByContainer[container]?.values.flatMap(\.keys) ?? []
        }

        /// Returns the parts whose pointers begin with one of these names, and the parts that are
        /// the whole container.
        func parts(of container: WatchedPart.Container, under names: [String]) -> [WatchedPart] {
            guard let all = partsByContainer[container] else { return [] }
            var found = all[nil].map { Array($0.keys) } ?? []
            for name in names {
                if let parts = all[ExactText(name)] { found += parts.keys }
            }
            return found
        }
    }

    private let layout: SliceLayout?
    private let distributor: TopicDistributor
    private let documents: ParsedDocuments
    private let table = Locked(Table())

    /// Makes the streams of parts. `layout` is `nil` if the state is not made of modules.
    /// `documents` caches parsed slices.
    package init(
        layout: SliceLayout?,
        _ distributor: TopicDistributor,
        _ documents: ParsedDocuments = ParsedDocuments()
    ) {
        self.layout = layout
        self.distributor = distributor
        self.documents = documents
    }

    /// Returns the part at a pointer, or a window of the part, as a viewer sees the state.
    package func part(
        at pointer: JSONPointer,
        _ window: MemberWindow? = nil,
        for viewer: Viewer = .unrestricted
    ) -> WatchedPart { WatchedPart(at: pointer, window, in: layout, for: viewer) }

    /// Reserves a place (``WatchPlaces``) with which a client watches a part. All streams of the
    /// client at this pointer share the place. Any thread may call this function.
    ///
    /// - Returns: the place, which is given back when the last reference to the returned object is
    ///   released.
    /// - Throws: ``WatchRefusal`` if there is no place.
    package func reservePlace(
        for part: WatchedPart,
        of client: WatchingClient
    ) throws(WatchRefusal) -> WatchReservation {
        try table.withLock { watched throws(WatchRefusal) in
            if let refusal = watched.places.refusal(of: part, for: client) { throw refusal }
            // A part that is already watched needs no more memory.
            if watched[part] == nil {
                guard watched.watchedBytes < Self.watchedBytesMax else {
                    throw .bytes(max: Self.watchedBytesMax)
                }
                let own = watched.places.parts(of: client).reduce(0) {
                    $0 + (watched[$1]?.bytes?.count ?? 0)
                }
                guard own < Self.clientWatchedBytesMax else {
                    throw .bytes(max: Self.clientWatchedBytesMax)
                }
            }
            watched.places.take(part, for: client)
        }
        return WatchReservation(part, of: client, in: self)
    }

    /// Gives a place back. Drops the part if no client watches the part any more.
    func releasePlace(at part: WatchedPart, of client: WatchingClient) {
        table.withLock { watched in
            if watched.places.giveBack(part, of: client) { watched[part] = nil }
        }
    }

    /// Returns true if finding the part in a version is cheap.
    func isCheapToFind(_ part: WatchedPart, in snapshot: Snapshot) -> Bool {
        let (container, isInside) = (part.container, !part.pointer.tokens.isEmpty)
        if container.slice(in: snapshot)?.isCheapToFind(forPartInside: isInside) == false {
            return false
        }
        return documents.isPartCheap(at: container.location(of: part.pointer, in: snapshot))
    }

    /// Returns the version with which a stream of the part opens, and watches the part from that
    /// version on. The publishing thread calls this function.
    func beginWatching(
        of part: WatchedPart,
        in mode: StreamMode,
        from snapshot: Snapshot
    ) -> TopicVersion {
        if let known = table.withLock({ $0[part] }) {
            return distributor.topicVersion(
                of: known.bytes,
                since: known.version,
                in: mode,
                isKnown: true
            )
        }
        let (bytes, version) = (bytes(of: part, in: snapshot), part.container.version(in: snapshot))
        table.withLock { watched in
            if watched.partCount >= watched.nextSweepCount { sweep(&watched) }
            watched[part] = SentFrame(bytes: bytes, version: version)
        }
        return distributor.topicVersion(of: bytes, since: version, in: mode)
    }

    /// Forgets the sent frames. Call this function if versions were published while no stream was
    /// open.
    func forgetSentFrames() {
        table.withLock { watched in
            let places = watched.places
            watched = Table()
            watched.places = places
        }
    }

    /// Sends the watched parts that a new version changed. The publishing thread calls this
    /// function, and may pause in `pauseIfBusy` between two parts.
    func distribute(
        _ new: Snapshot,
        after old: Snapshot,
        for filter: ReaderFilter?,
        _ pauseIfBusy: () -> Void = {}
    ) {
        let containers = table.withLock {
            $0.partsByContainer.isEmpty ? [] : $0.changedContainers(new, after: old)
        }
        for container in containers where container.differs(new, from: old) {
            let version = new.eventVersion(
                changed: container.version(in: new),
                after: container.version(in: old)
            )
            let changed =
                if let pieces = container.pieces(in: new), let before = container.pieces(in: old) {
                    partsInPieces(of: container, in: new, pieces.ids(changedSince: before))
                } else if let document = container.bytes(in: new), document.outlined != nil {
                    parts(of: container, inTablesOf: document, after: container.bytes(in: old))
                } else {
                    changedParts(of: container, inDocument: container.bytes(in: new))
                }
            for (part, bytes) in changed {
                guard let sent = replaceIfNew(bytes, of: part, version) else { continue }
                distributor.distribute(
                    bytes,
                    after: sent.bytes,
                    to: part.topic,
                    since: version,
                    for: filter
                )
                pauseIfBusy()
            }
        }
    }

    /// Returns the watched parts of some instances, with their current bytes.
    private func partsInPieces(
        of container: WatchedPart.Container,
        in new: Snapshot,
        _ names: [String]
    ) -> [(WatchedPart, Bytes?)] {
        table.withLock { $0.parts(of: container, under: names) }.map {
            ($0, bytes(of: $0, in: new))
        }
    }

    /// Returns the watched parts of a document with tables, with their current bytes. Leaves out
    /// the parts in rows that both versions share.
    private func parts(
        of container: WatchedPart.Container,
        inTablesOf new: Bytes,
        after old: Bytes?
    ) -> [(WatchedPart, Bytes?)] {
        table.withLock { $0.parts(of: container) }.compactMap { part in
            if let old,
                case .inRow(let before, _)? = documents.outlinedPart(at: part.pointer, in: old),
                case .inRow(let row, _)? = documents.outlinedPart(at: part.pointer, in: new),
                row === before
            {
                return nil
            }
            return (part, part.windowed(documents.part(at: .inDocument(new, part.pointer))))
        }
    }

    /// Returns the changed parts of one document, with their current bytes. Finds all parts in one
    /// pass.
    private func changedParts(
        of container: WatchedPart.Container,
        inDocument bytes: Bytes?
    ) -> [(WatchedPart, Bytes?)] {
        let due = table.withLock { $0.parts(of: container) }
        guard let document = bytes.flatMap({ documents.document(of: $0) }) else {
            return due.map { ($0, nil) }
        }
        return zip(due, document.nodes(at: due.map(\.pointer))).compactMap { part, node in
            if part.window != nil { return (part, part.windowed(node.map { Bytes($0.source) })) }
            let known = table.withLock { $0[part] }
            guard let known, !Self.isSame(known.bytes, node) else { return nil }
            return (part, node.map { Bytes($0.source) })
        }
    }

    /// Records the current bytes of a part. Returns the frame that was sent before if the part's
    /// readers have to get these bytes. Drops a part without readers.
    private func replaceIfNew(
        _ bytes: Bytes?,
        of part: WatchedPart,
        _ version: UInt64
    ) -> SentFrame? {
        let isRead = distributor.hasReaders(part.topic)
        return table.withLock { watched in
            guard let sent = watched[part] else { return nil }
            if isRead, sent.bytes == bytes { return nil }
            watched[part] = isRead ? SentFrame(bytes: bytes, version: version) : nil
            return isRead ? sent : nil
        }
    }

    private func bytes(of part: WatchedPart, in snapshot: Snapshot) -> Bytes? {
        part.windowed(
            documents.part(at: part.container.location(of: part.pointer, in: snapshot))
        )
    }

    /// Drops the parts without readers. Runs only after the number of parts has doubled, so that
    /// the average cost of opening a stream is constant.
    private func sweep(_ watched: inout Table) {
        for part in watched.partsByContainer.keys.flatMap({ watched.parts(of: $0) })
        where !distributor.hasReaders(part.topic) {
            watched[part] = nil
        }
        watched.nextSweepCount = max(Self.sweepCountMin, 2 * watched.partCount)
    }

    private static func isSame(_ bytes: Bytes?, _ node: JSONNode?) -> Bool {
        guard let bytes, let node else { return bytes == nil && node == nil }
        return bytes.withUnsafeBytes { $0.hasSameBytes(as: UnsafeRawBufferPointer(node.source)) }
    }
}

extension WatchedPart {
    fileprivate var firstToken: ExactText? { pointer.tokens.first.map { ExactText($0) } }
}
