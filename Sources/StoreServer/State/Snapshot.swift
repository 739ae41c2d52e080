import Locks
import Synchronization
import Wire

/// One published version of the state: encoded once, shared by every reader.
final class Snapshot: Sendable {
    let tag: Tag
    /// The tag as an entity tag, quotes included.
    let etag: String
    /// The slices of the modules that the state is made of, in their order. Empty where the state is
    /// not made of modules.
    let slices: [PublishedSlice]

    /// How the slices make up the state; `nil` where it is not made of modules.
    let layout: SliceLayout?

    private let whole: Locked<Bytes?>

    init(tag: Tag, state: Bytes) {
        self.tag = tag
        etag = tag.etag
        slices = []
        layout = nil
        whole = Locked(state)
    }

    /// A state that is put together from its slices when somebody asks for it.
    init(tag: Tag, slices: [PublishedSlice], layout: SliceLayout) {
        self.tag = tag
        etag = tag.etag
        self.slices = slices
        self.layout = layout
        whole = Locked(nil)
    }

    var version: UInt64 { tag.version }

    /// The state as JSON. Any thread; whoever asks first puts it together, the others wait for that.
    var state: Bytes {
        whole.withLock { whole in
            if let whole { return whole }
            let joined = layout?.joined(slices.map(\.bytes)) ?? SliceLayout.absent
            whole = joined
            return joined
        }
    }
}

/// A module's slice as it was published.
struct PublishedSlice: Sendable {
    /// The slice as JSON; `nil` where it is absent.
    let bytes: Bytes?
    /// The version that changed it last, as far as this server knows.
    let version: UInt64
}
