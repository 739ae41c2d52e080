import StoreCore
import Wire

/// Encodes a state that is made of modules: only the slices that may have changed, each once.
///
/// An action on a small module costs the same however large the others are: their bytes are those of
/// before, and the whole is put together only for who wants the whole.
final class SliceWriter<State: RootState>: StateWriter {
    private let encoder: JSONEncoder
    private let touched: TouchedModules
    private let layout = SliceLayout(State.modules.map(\.name))
    private var slices: [PublishedSlice] = []
    private var committedSlices: [PublishedSlice] = []
    /// What was encoded anew since the last commit.
    private var renewed: Set<Int> = []

    init(_ encoder: JSONEncoder, _ touched: TouchedModules) {
        self.encoder = encoder
        self.touched = touched
    }

    func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        if slices.isEmpty {
            slices = try State.modules.indices.map { index throws(JSONError) in
                PublishedSlice(bytes: try encoded(index, state), version: tag.version)
            }
        }
        let indices = touched.take()
        renewed.formUnion(indices)
        for index in indices {
            let bytes = try encoded(index, state)
            guard bytes != slices[index].bytes else { continue }
            slices[index] = PublishedSlice(bytes: bytes, version: tag.version)
        }
        return Snapshot(tag: tag, slices: slices, layout: layout)
    }

    func committed() {
        committedSlices = slices
        renewed.removeAll(keepingCapacity: true)
    }

    func rolledBack() {
        // What was reduced in vain will not be touched again by what comes next, but is out of date.
        for index in renewed { touched.insert(index) }
        slices = committedSlices
        renewed.removeAll(keepingCapacity: true)
    }

    private func encoded(_ index: Int, _ state: State) throws(JSONError) -> Bytes? {
        guard let value = State.modules[index].slice.value(state) else { return nil }
        return try encoder.encodeShared(Whole(value))
    }
}
