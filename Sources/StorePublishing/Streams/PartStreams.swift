import StoreCore
package import StoreEventStream
import StorePlatform
package import StoreWire
import Synchronization

/// Sends parts of the state to those who watch them, each only when it has changed: instances of
/// modules, and what JSON Pointers lead to.
///
/// What is watched is found by key. Of a module with instances, a version costs the watched parts
/// of the instances that it changed, however many others are watched; of any other module that it
/// changed, one reading of the slice and the watched parts of that.
package final class PartStreams: Sendable {
    /// The most pointers that are watched at a time, of those into what is shared.
    package static let pointersMax = 4_096
    /// The most of them that one client watches: a principal, or an address.
    package static let clientPointersMax = 256
    /// How many of all are for clients that watch fewer than ``keptPerClient``.
    static let keptPointers = 512
    static let keptPerClient = 4
    /// The most pointers that are watched of one session, into what is its own.
    package static let sessionPointersMax = 64
    /// The most bytes that the parts have together when a further one is watched. One part of any
    /// size may be watched.
    package static let pointerBytesMax = 64 << 20
    /// The same of the parts that one client watches.
    package static let clientPointerBytesMax = 16 << 20
    /// From how many parts on those that are read no more make room.
    private static let partsMax = 1_000

    /// The last frame that was sent of a part: what it carried, and its version. No version until
    /// then.
    private struct Sent: Sendable {
        var bytes: Bytes?
        var version: UInt64?
    }

    private struct Watched: Sendable {
        /// The parts of each container by the first token of their pointers; under `nil`, the parts
        /// that are a whole container.
        var parts: [WatchedPart.Container: [ExactText?: [WatchedPart: Sent]]] = [:]
        /// The containers of each session; under `nil`, those of shared slices.
        var containers: [ExactText?: Set<WatchedPart.Container>] = [:]
        var count = 0
        /// The clients that watch pointers.
        var places = WatchPlaces()
        /// How many bytes the parts have that pointers lead to.
        var pointerBytes = 0
        /// At how many parts those that are read no more are looked for.
        var sweepAt = PartStreams.partsMax

        subscript(part: WatchedPart) -> Sent? {
            get { parts[part.container]?[part.name]?[part] }
            set {
                let old = parts[part.container]?[part.name]?[part]
                parts[part.container, default: [:]][part.name, default: [:]][part] = newValue
                if part.isPointer {
                    pointerBytes += (newValue?.bytes?.count ?? 0) - (old?.bytes?.count ?? 0)
                }
                let change = (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
                guard change != 0 else { return }
                count += change
                let session = part.container.session
                containers[session, default: []].insert(part.container)
                guard newValue == nil, parts[part.container]?[part.name]?.isEmpty == true else {
                    return
                }
                parts[part.container]?[part.name] = nil
                guard parts[part.container]?.isEmpty == true else { return }
                parts[part.container] = nil
                containers[session]?.remove(part.container)
                if containers[session]?.isEmpty == true { containers[session] = nil }
            }
        }

        /// The containers that may differ between two versions: those of sessions that nothing was
        /// changed for are not looked at.
        func containers(_ new: Snapshot, after old: Snapshot) -> [WatchedPart.Container] {
            guard new.hasSessions, let sessions = new.sessions(changedSince: old) else {
                return Array(parts.keys)
            }
            return sessions.reduce(into: Array(containers[nil] ?? [])) { found, session in
                found += containers[session] ?? []
            }
        }

        /// All parts of a container.
        func parts(of container: WatchedPart.Container) -> [WatchedPart] {
            parts[container]?.values.flatMap(\.keys) ?? []
        }

        /// The parts whose pointers begin with one of these names, and those that are the whole
        /// container.
        func parts(of container: WatchedPart.Container, under names: [String]) -> [WatchedPart] {
            guard let all = parts[container] else { return [] }
            var found = all[nil].map { Array($0.keys) } ?? []
            for name in names {
                if let parts = all[ExactText(name)] { found += parts.keys }
            }
            return found
        }
    }

    private let layout: SliceLayout?
    private let sender: PartSender
    private let documents: ParsedDocuments
    private let watched = Locked(Watched())

    /// The parts of a state that is made of modules as they are laid out, or of one that is made of
    /// none. The documents have the slices that were parsed already.
    package init(
        layout: SliceLayout?,
        _ sender: PartSender,
        _ documents: ParsedDocuments = ParsedDocuments()
    ) {
        self.layout = layout
        self.sender = sender
        self.documents = documents
    }

    /// What a pointer leads to, as a viewer sees the state.
    package func part(at pointer: JSONPointer, for viewer: Viewer = .all) -> WatchedPart {
        WatchedPart(at: pointer, in: layout, for: viewer)
    }

    /// Takes a client's place for what a pointer leads to. Streams of one client at one pointer
    /// share it. Any thread.
    ///
    /// - Returns: the place, which is given back when nothing holds it any more.
    /// - Throws: ``WatchRefusal`` where there is none.
    package func place(
        for part: WatchedPart,
        of client: WatchingClient
    ) throws(WatchRefusal) -> WatchPlace {
        try watched.withLock { watched throws(WatchRefusal) in
            if let refusal = watched.places.refusal(of: part, for: client) { throw refusal }
            // What is watched already costs no more.
            if watched[part] == nil {
                guard watched.pointerBytes < Self.pointerBytesMax else {
                    throw .bytes(max: Self.pointerBytesMax)
                }
                let own = watched.places.parts(of: client).reduce(0) {
                    $0 + (watched[$1]?.bytes?.count ?? 0)
                }
                guard own < Self.clientPointerBytesMax else {
                    throw .bytes(max: Self.clientPointerBytesMax)
                }
            }
            watched.places.take(part, for: client)
        }
        return WatchPlace(part, of: client, in: self)
    }

    /// Gives a place back; a pointer without any is watched no more.
    func giveBack(_ part: WatchedPart, of client: WatchingClient) {
        watched.withLock { watched in
            if watched.places.giveBack(part, of: client) { watched[part] = nil }
        }
    }

    /// Gives a stream that is about to open what it begins with, and sees to what comes after. The
    /// newest version is asked for when the part is watched already: none can be missed between.
    /// The publishing thread calls it.
    package func announce(_ part: WatchedPart, in newest: () -> Snapshot) {
        var sent = watched.withLock { watched -> Sent in
            if let known = watched[part] { return known }
            if watched.count >= watched.sweepAt { sweep(&watched) }
            watched[part] = Sent()
            return Sent()
        }
        let isKnown = sent.version != nil
        if !isKnown {
            let snapshot = newest()
            let found = Sent(
                bytes: bytes(of: part, in: snapshot),
                version: part.container.version(in: snapshot)
            )
            sent = watched.withLock { watched in
                // A version that was published meanwhile goes before.
                if let known = watched[part], known.version != nil { return known }
                watched[part] = found
                return found
            }
        }
        guard let version = sent.version else { return }
        sender.send(sent.bytes, to: part.topic, since: version, isKnown: isKnown)
    }

    /// Forgets what was sent: versions were published while no stream was open.
    package func forget() {
        watched.withLock { watched in
            let places = watched.places
            watched = Watched()
            watched.places = places
        }
    }

    /// A version is published. The publishing thread calls it, and may pause in `breathe`, between
    /// one part and the next.
    func publish(
        _ new: Snapshot,
        after old: Snapshot,
        for audience: StreamAudience?,
        _ breathe: () -> Void = {}
    ) {
        let containers = watched.withLock { $0.parts.isEmpty ? [] : $0.containers(new, after: old) }
        for container in containers where container.differs(new, from: old) {
            let version = new.version(container.version(in: new), after: container.version(in: old))
            let changed =
                if let pieces = container.pieces(in: new), let before = container.pieces(in: old) {
                    changed(of: container, in: new, pieces.names(changedSince: before))
                } else {
                    changed(of: container, in: container.bytes(in: new))
                }
            for (part, bytes) in changed where isNews(bytes, of: part, version) {
                sender.send(bytes, to: part.topic, since: version, for: audience)
                breathe()
            }
        }
    }

    /// The parts of some instances, as they are now.
    private func changed(
        of container: WatchedPart.Container,
        in new: Snapshot,
        _ names: [String]
    ) -> [(WatchedPart, Bytes?)] {
        let due = watched.withLock { $0.parts(of: container, under: names) }
        return due.map { ($0, bytes(of: $0, in: new)) }
    }

    /// The parts that one document has all of, as they are now; they are found in one pass.
    private func changed(
        of container: WatchedPart.Container,
        in bytes: Bytes?
    ) -> [(WatchedPart, Bytes?)] {
        let due = watched.withLock { $0.parts(of: container) }
        guard let document = bytes.flatMap({ documents.document(of: $0) }) else {
            return due.map { ($0, nil) }
        }
        return zip(due, document.find(due.map(\.pointer))).compactMap { part, node in
            let known = watched.withLock { $0[part] }
            guard let known, known.version == nil || !Self.isSame(known.bytes, node) else {
                return nil
            }
            return (part, node.map { Bytes($0.source) })
        }
    }

    /// Notes what a part is now. Returns whether its readers have to be sent it; where it has none,
    /// it is watched no more.
    private func isNews(_ bytes: Bytes?, of part: WatchedPart, _ version: UInt64) -> Bool {
        let isRead = sender.isRead(part.topic)
        return watched.withLock { watched in
            guard let sent = watched[part] else { return false }
            guard isRead else {
                watched[part] = nil
                return false
            }
            guard sent.version == nil || sent.bytes != bytes else { return false }
            watched[part] = Sent(bytes: bytes, version: version)
            return true
        }
    }

    private func bytes(of part: WatchedPart, in snapshot: Snapshot) -> Bytes? {
        switch part.container.place(of: part.pointer, in: snapshot) {
        case .found(let bytes): bytes
        case .within(let bytes, let pointer): documents.document(of: bytes)?.part(at: pointer)
        }
    }

    /// Drops the parts that have no readers any more. It comes when as many again are watched, so
    /// that opening a stream costs the same however many there are.
    private func sweep(_ watched: inout Watched) {
        for part in watched.parts.keys.flatMap({ watched.parts(of: $0) })
        where !sender.isRead(part.topic) {
            watched[part] = nil
        }
        watched.sweepAt = max(Self.partsMax, 2 * watched.count)
    }

    private static func isSame(_ bytes: Bytes?, _ node: JSONNode?) -> Bool {
        guard let bytes, let node else { return bytes == nil && node == nil }
        return bytes.withUnsafeBytes { $0.hasSameBytes(as: UnsafeRawBufferPointer(node.source)) }
    }
}

extension WatchedPart {
    /// The first token of its pointer.
    fileprivate var name: ExactText? { pointer.tokens.first.map { ExactText($0) } }
}
