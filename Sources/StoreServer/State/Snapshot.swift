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

    /// The part of the state that a pointer leads to, or `nil` where it leads nowhere. Only the slice
    /// that it leads into is read.
    func part(at pointer: JSONPointer) -> Bytes? {
        guard let layout, let name = pointer.tokens.first else { return state.part(at: pointer) }
        return layout.index(of: name).flatMap { index in
            let rest = JSONPointer(tokens: Array(pointer.tokens.dropFirst()))
            return slices[index].isStarted
                ? slices[index].part(at: rest) : SliceLayout.absent.part(at: rest)
        }
    }
}
