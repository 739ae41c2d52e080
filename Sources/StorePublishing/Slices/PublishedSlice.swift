import StoreCore
import StoreWire

/// A module's slice as it was published: immutable, and shared by every reader.
package struct PublishedSlice: Sendable {
    private enum Form: Sendable {
        case whole(Bytes?)
        case instances(InstancePieces)
        case sessions(SessionSlices)
    }

    /// The version that changed it last, as far as this server has seen.
    package let version: UInt64
    private let form: Form

    /// A slice that is encoded whole; `nil` where it is absent.
    init(bytes: Bytes?, version: UInt64) {
        self.version = version
        form = .whole(bytes)
    }

    /// What stands in the place of a slice that is not there for its reader.
    static let hidden = PublishedSlice(bytes: nil, version: 0)

    /// The slice of a module that has instances.
    init(pieces: InstancePieces, version: UInt64) {
        self.version = version
        form = .instances(pieces)
    }

    /// The slices of a module of which each session has one.
    init(sessions: SessionSlices, version: UInt64) {
        self.version = version
        form = .sessions(sessions)
    }

    /// The slice as JSON; `nil` where it is absent.
    ///
    /// That of a module with instances is put together for the first reader of the whole: a reader
    /// of one instance takes ``place(of:)``.
    var bytes: Bytes? {
        switch form {
        case .whole(let bytes): bytes
        case .instances(let pieces): pieces.joined
        case .sessions(let sessions): sessions.joined
        }
    }

    /// Whether it is there.
    package var isStarted: Bool {
        switch form {
        case .whole(let bytes): bytes != nil
        case .instances: true
        case .sessions(let sessions): sessions.isStarted
        }
    }

    /// How many slices are there: of instances and of sessions each that was started.
    ///
    /// Cost: one step for each session.
    package var count: Int {
        switch form {
        case .whole(let bytes): bytes == nil ? 0 : 1
        case .instances(let pieces): pieces.form == .object ? pieces.count : 1
        case .sessions(let sessions): sessions.count
        }
    }

    /// The pieces, each encoded by itself; `nil` where the slice is encoded otherwise.
    package var pieces: InstancePieces? {
        if case .instances(let pieces) = form { pieces } else { nil }
    }

    /// The slices of sessions; `nil` where it is shared.
    var sessions: SessionSlices? {
        if case .sessions(let sessions) = form { sessions } else { nil }
    }

    /// Whether sessions get different ones.
    package var isOfSessions: Bool { sessions != nil }

    /// What a session gets of it.
    func visible(to session: String) -> PublishedSlice {
        sessions?.visible(to: session) ?? self
    }

    /// Whether a reader gets something else than from an older version of it. A session that ends
    /// has the first slice again, which is older than its own was, and may be the same.
    func differs(from old: PublishedSlice) -> Bool {
        version == old.version ? false : version > old.version || bytes != old.bytes
    }

    /// The pieces, where each has a name that pointers can lead to: the instances.
    var namedPieces: InstancePieces? {
        pieces.flatMap { $0.form == .object ? $0 : nil }
    }

    /// Whether ``bytes`` costs little.
    package var isAtHand: Bool {
        switch form {
        case .whole: true
        case .instances(let pieces): pieces.isAtHand
        case .sessions(let sessions): sessions.isAtHand
        }
    }

    /// Where a part of it is found.
    func place(of pointer: JSONPointer) -> PartPlace {
        switch form {
        case .whole(let bytes):
            let bytes = bytes ?? SliceLayout.absent
            return pointer == .root ? .found(bytes) : .within(bytes, pointer)
        case .instances(let pieces): return pieces.place(of: pointer)
        case .sessions(let sessions): return sessions.place(of: pointer)
        }
    }
}
