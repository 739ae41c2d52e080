import StoreCore
import Wire

/// A module's slice as it was published: immutable, and shared by every reader.
struct PublishedSlice: Sendable {
    private enum Form: Sendable {
        case whole(Bytes?)
        case instances(InstancePieces)
    }

    /// The version that changed it last, as far as this server knows.
    let version: UInt64
    private let form: Form

    /// A slice that is encoded whole; `nil` where it is absent.
    init(bytes: Bytes?, version: UInt64) {
        self.version = version
        form = .whole(bytes)
    }

    /// The slice of a module that has instances.
    init(pieces: InstancePieces, version: UInt64) {
        self.version = version
        form = .instances(pieces)
    }

    /// The slice as JSON; `nil` where it is absent.
    ///
    /// That of a module with instances is put together when somebody asks for it, by whoever is the
    /// first: a reader who wants one instance takes ``part(at:)``.
    var bytes: Bytes? {
        switch form {
        case .whole(let bytes): bytes
        case .instances(let pieces): pieces.joined
        }
    }

    /// Whether it is there.
    var isStarted: Bool {
        switch form {
        case .whole(let bytes): bytes != nil
        case .instances: true
        }
    }

    /// The instances, each encoded by itself; `nil` where the module has none.
    var pieces: InstancePieces? {
        if case .instances(let pieces) = form { pieces } else { nil }
    }

    /// The part that a pointer leads to, or `nil` where it leads nowhere. Of a module with instances
    /// only the one that it leads into is read.
    func part(at pointer: JSONPointer) -> Bytes? {
        switch form {
        case .whole(let bytes): bytes?.part(at: pointer)
        case .instances(let pieces): pieces.part(at: pointer)
        }
    }
}
