import StoreCore
import StorePlatform
package import StoreTexts
import StoreWire
import Synchronization

/// The client for which watched pointers are counted: a principal, or else an address.
package enum WatchingClient: Hashable, Sendable {
    case principal(ExactText)
    /// The text of an address; for IPv6, the text of its first 64 bits. `isForMany` is true if
    /// several clients may share the address: the address of a proxy, or of this machine.
    case address(String, isForMany: Bool)

    fileprivate var isForMany: Bool {
        if case .address(_, let isForMany) = self { isForMany } else { false }
    }
}

/// The reason why another pointer can't be watched.
package enum WatchRefusal: Error, Equatable {
    /// The client already watches the maximum number of pointers for one client.
    case clientPointers(max: Int)
    /// The session already has the maximum number of watched pointers for one session.
    case sessionPointers(max: Int)
    /// All places are taken, or the free places are reserved for clients that watch fewer pointers.
    case allPointers(max: Int)
    /// The watched parts of this client, or of all clients, already have the maximum number of
    /// bytes.
    case bytes(max: Int)
}

/// The places for watched pointers. A place is the right of one client to watch one pointer.
///
/// Each stream uses one place, so the number of open streams bounds the number of places.
struct WatchPlaces {
    /// The pointers of each client, with the number of streams at each pointer.
    private var streamCounts: [WatchingClient: [WatchedPart: Int]] = [:]
    /// The number of clients that hold each pointer.
    private var holderCounts: [WatchedPart: Int] = [:]
    /// The number of pointers of each session into its own slices. Under `nil`: the number of
    /// pointers into shared slices.
    private var pointerCountsBySession: [ExactText?: Int] = [:]

    func parts(of client: WatchingClient) -> some Collection<WatchedPart> {
        (streamCounts[client] ?? [:]).keys
    }

    /// Returns the reason why a client may not watch one more pointer; `nil` if the client may.
    func refusal(of part: WatchedPart, for client: WatchingClient) -> WatchRefusal? {
        let clientParts = streamCounts[client] ?? [:]
        guard clientParts[part] == nil else { return nil }
        guard clientParts.count < PartStreams.clientPointersMax || client.isForMany else {
            return .clientPointers(max: PartStreams.clientPointersMax)
        }
        guard holderCounts[part] == nil else { return nil }
        let session = Self.session(of: part)
        let taken = pointerCountsBySession[session] ?? 0
        guard session == nil else {
            let max = PartStreams.sessionPointersMax
            return taken < max ? nil : .sessionPointers(max: max)
        }
        let kept =
            clientParts.count < PartStreams.reservedPointersPerClientMax
            ? 0 : PartStreams.reservedPointerCount
        return taken < PartStreams.pointersMax - kept
            ? nil : .allPointers(max: PartStreams.pointersMax)
    }

    mutating func take(_ part: WatchedPart, for client: WatchingClient) {
        let count = (streamCounts[client]?[part] ?? 0) + 1
        streamCounts[client, default: [:]][part] = count
        guard count == 1 else { return }
        holderCounts[part, default: 0] += 1
        if holderCounts[part] == 1 {
            pointerCountsBySession[Self.session(of: part), default: 0] += 1
        }
    }

    /// Gives a place back. Returns true if no client watches the pointer any more.
    mutating func giveBack(_ part: WatchedPart, of client: WatchingClient) -> Bool {
        guard let count = streamCounts[client]?[part] else { return false }
        streamCounts[client]?[part] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        if streamCounts[client]?.isEmpty == true { streamCounts[client] = nil }
        let others = (holderCounts[part] ?? 1) - 1
        holderCounts[part] = others > 0 ? others : nil
        guard others == 0 else { return false }
        let session = Self.session(of: part)
        let left = (pointerCountsBySession[session] ?? 1) - 1
        pointerCountsBySession[session] = left > 0 ? left : nil
        return true
    }

    /// Returns the session whose bound limits a pointer; `nil` for a shared pointer. All clients
    /// without a session of their own share one session. The pointers of this session count as
    /// shared.
    private static func session(of part: WatchedPart) -> ExactText? {
        let session = part.container.owner
        return session?.text == SessionName.shared ? nil : session
    }
}

/// A client's place for one watched pointer. The `deinit` of this object gives the place back.
package final class WatchReservation: Sendable {
    private let parts: PartStreams
    private let part: WatchedPart
    private let client: WatchingClient

    init(_ part: WatchedPart, of client: WatchingClient, in parts: PartStreams) {
        self.parts = parts
        self.part = part
        self.client = client
    }

    deinit { parts.releasePlace(at: part, of: client) }
}

/// The viewers that have an open stream on a topic of one kind. The distributor of a version visits
/// each viewer.
///
/// When the number of viewers has doubled since viewers were last dropped, viewers without a stream
/// are dropped. So the number of open streams bounds the number of viewers.
final class WatchingViewers: Sendable {
    /// The smallest number of viewers at which viewers without a stream are dropped.
    private static let sweepCountMin = 1_000

    private struct Table: Sendable {
        /// The viewers by their sessions, and by their names as owners of slices of users. Under
        /// `nil`: the viewers without a session and without such a name.
        var viewersByOwner: [ExactText?: Set<Viewer>] = [:]
        var count = 0
        var nextSweepCount = WatchingViewers.sweepCountMin
    }

    private let table = Locked(Table())
    /// True if a viewer still has a stream, or a reserved place.
    private let isReading: @Sendable (Viewer) -> Bool

    init(_ isReading: @escaping @Sendable (Viewer) -> Bool) { self.isReading = isReading }

    /// Adds a viewer that is about to read. The caller must have reserved the places of the
    /// viewer's streams.
    func insert(_ viewer: Viewer) {
        table.withLock { table in
            var isNew = false
            for owner in viewer.owners
            where table.viewersByOwner[owner, default: []].insert(viewer).inserted {
                isNew = true
            }
            if isNew { table.count += 1 }
            guard table.count >= table.nextSweepCount else { return }
            table.viewersByOwner = table.viewersByOwner.compactMapValues { viewers in
                let reading = viewers.filter(isReading)
                return reading.isEmpty ? nil : reading
            }
            table.count = table.viewersByOwner.values.reduce(0) { $0 + $1.count }
            table.nextSweepCount = max(Self.sweepCountMin, 2 * table.count)
        }
    }

    /// Returns the viewers that are one of these owners, and all viewers without a session. Returns
    /// all viewers if `owners` is `nil`.
    func viewers(of owners: Set<ExactText>?) -> [Viewer] {
        table.withLock { table in
            guard !table.viewersByOwner.isEmpty else { return [] }
            guard let owners else { return Self.distinct(table.viewersByOwner.values.map { $0 }) }
            let found = owners.compactMap { table.viewersByOwner[$0] }
            return (table.viewersByOwner[nil].map { Array($0) } ?? []) + Self.distinct(found)
        }
    }

    /// Returns the viewers of several sets, each once: a viewer with a session may be a user, too.
    private static func distinct(_ sets: [Set<Viewer>]) -> [Viewer] {
        guard sets.count > 1 else { return sets.first.map { Array($0) } ?? [] }
        return Array(sets.reduce(into: Set()) { $0.formUnion($1) })
    }
}

extension ExactText {
    /// The owner, if this text is the ``ReaderName`` of a client; otherwise the text itself.
    var owner: ExactText {
        text.utf8.contains(0) ? ExactText(ReaderName.owner(ofClient: text)) : self
    }
}

extension Viewer {
    /// The owners whose changes concern this viewer; a single `nil` for a viewer without a session
    /// and without a user.
    fileprivate var owners: [ExactText?] {
        let owners = [session, owner].compactMap { $0.map(\.owner) }
        return owners.isEmpty ? [nil] : owners
    }
}
