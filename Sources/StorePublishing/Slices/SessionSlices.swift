import StoreCore
import StorePlatform
import StoreTexts
import StoreWire
import Synchronization

/// The slices that sessions have of a module, as one version has them, each encoded by itself.
///
/// A version shares with the one before what has not changed.
package final class SessionSlices: Sendable {
    /// How a session gets its own.
    enum Form: Sendable {
        /// In the place of all.
        case own
        /// As the one member of an object, under the session's name.
        case member
    }

    /// The slice of one session.
    private final class Entry: Sendable {
        let slice: PublishedSlice

        init(_ slice: PublishedSlice) { self.slice = slice }
    }

    private let entries: SortedTable<Entry>
    /// What every session begins with.
    let first: PublishedSlice
    private let form: Form
    private let whole = Locked<Bytes?>(nil)
    private let wasJoined = Atomic(false)

    /// The slices of sessions, sorted by the sessions' names.
    init(
        _ slices: [(session: String, slice: PublishedSlice)],
        first: PublishedSlice,
        _ form: Form
    ) {
        entries = SortedTable(sorted: slices.map { ($0.session, Entry($0.slice)) })
        self.first = first
        self.form = form
    }

    private init(_ entries: SortedTable<Entry>, first: PublishedSlice, _ form: Form) {
        self.entries = entries
        self.first = first
        self.form = form
    }

    /// Whether some session has it. Cost: one step for each.
    var isStarted: Bool { first.isStarted || entries.contains { $0.value.slice.isStarted } }

    /// How many slices sessions have; those of a module that is always there, as far as they
    /// changed. Cost: one step for each session.
    var count: Int {
        if form == .member { return 1 }
        return entries.reduce(0) { $0 + $1.value.slice.count }
    }

    /// The slice of a session as it was encoded; `nil` where it has none of its own.
    subscript(session: String) -> PublishedSlice? { entries[session]?.slice }

    /// What a session gets.
    func visible(to session: String) -> PublishedSlice {
        let own = entries[session]?.slice
        switch form {
        case .own: return own ?? first
        case .member:
            guard let own, let bytes = own.bytes else { return first }
            let piece = SortedTable(sorted: [(key: session, value: bytes)])
            return PublishedSlice(pieces: InstancePieces(piece), version: own.version)
        }
    }

    /// The same with other slices for some sessions, and another one to begin with.
    func with(
        _ renewed: [(session: String, slice: PublishedSlice?)],
        first: PublishedSlice? = nil
    ) -> SessionSlices {
        var entries = entries
        for (session, slice) in renewed { entries[session] = slice.map { Entry($0) } }
        return SessionSlices(entries, first: first ?? self.first, form)
    }

    /// The sessions that get something else than from an earlier version; `nil` where all do. What
    /// both share is not looked at.
    func sessions(changedSince others: SessionSlices) -> [String]? {
        guard first.version == others.first.version else { return nil }
        return entries.differences(from: others.entries).map(\.key)
    }

    /// Up to how many slices are put together on the event loop.
    private static let quickMax = 64

    /// Whether ``joined`` costs little.
    var isAtHand: Bool {
        entries.count <= Self.quickMax || wasJoined.load(ordering: .relaxed)
    }

    /// All of them under their sessions' names, as they are kept. Any thread; the first caller puts
    /// them together, the others wait for that.
    var joined: Bytes {
        whole.withLock { whole in
            if let whole { return whole }
            var json = JSONWriter(capacity: 64 * (entries.count + 1))
            json.object { json in
                for (session, entry) in entries {
                    json.key(session)
                    json.raw(entry.slice.bytes ?? SliceLayout.absent)
                }
            }
            let joined = json.bytes
            whole = joined
            wasJoined.store(true, ordering: .relaxed)
            return joined
        }
    }

    /// Where a part of the whole is found.
    func place(of pointer: JSONPointer) -> PartPlace {
        guard let session = pointer.tokens.first else { return .found(joined) }
        guard let slice = entries[session]?.slice else { return .found(nil) }
        return slice.place(of: JSONPointer(tokens: Array(pointer.tokens.dropFirst())))
    }
}
