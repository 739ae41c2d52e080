import StoreCore
import Wire

/// Encodes a state that is made of modules: only the slices that may have changed, each once, and of a
/// module that has instances only these.
///
/// An action on a small module or on one instance costs the same however large the others are: their
/// bytes are those of before, and the whole is put together only for who wants the whole.
final class SliceWriter<State: RootState>: StateWriter {
    private let encoder: JSONEncoder
    private let touched: TouchedModules
    private let layout = SliceLayout(State.modules.map(\.name))
    private let modules = State.modules
    private var slices: [PublishedSlice] = []
    private var committedSlices: [PublishedSlice] = []

    init(_ encoder: JSONEncoder, _ touched: TouchedModules) {
        self.encoder = encoder
        self.touched = touched
    }

    func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        let touched = touched.take()
        if slices.isEmpty {
            slices = try modules.indices.map { index throws(JSONError) in
                try encoded(index, state, tag.version)
            }
        } else {
            for touched in touched {
                if let slice = try renewed(touched, state, tag.version) {
                    slices[touched.module] = slice
                }
            }
        }
        return Snapshot(tag: tag, slices: slices, layout: layout)
    }

    func committed() {
        committedSlices = slices
    }

    func rolledBack() {
        // The state is that of the last commit again, and these are what it was encoded to. What is
        // still noted as touched was so in vain, and is compared once more.
        slices = committedSlices
    }

    /// The slice as it has become; `nil` where it is as it was.
    private func renewed(
        _ touched: TouchedModules.Slices,
        _ state: State,
        _ version: UInt64
    ) throws(JSONError) -> PublishedSlice? {
        let index = touched.module
        guard let pieces = slices[index].pieces, let instances = touched.instances else {
            let slice = try encoded(index, state, version)
            return slice.bytes == slices[index].bytes ? nil : slice
        }
        var renewed: [(id: String, piece: Bytes?)] = []
        for instance in instances {
            renewed.append((instance.id, try piece(of: instance.id, index, state)))
        }
        return pieces.with(renewed).map { PublishedSlice(pieces: $0, version: version) }
    }

    private func encoded(
        _ index: Int,
        _ state: State,
        _ version: UInt64
    ) throws(JSONError) -> PublishedSlice {
        let slice = modules[index].slice
        guard let ids = slice.instances(state) else {
            let bytes = try slice.value(state).map { value throws(JSONError) in
                try encoder.encodeShared(Whole(value))
            }
            return PublishedSlice(bytes: bytes, version: version)
        }
        var pieces: [(key: String, value: Bytes)] = []
        for id in ids {
            if let piece = try piece(of: id, index, state) { pieces.append((id, piece)) }
        }
        return PublishedSlice(
            pieces: InstancePieces(SortedTable(sorted: pieces)),
            version: version
        )
    }

    /// One instance; `nil` where it has ended.
    private func piece(of id: String, _ index: Int, _ state: State) throws(JSONError) -> Bytes? {
        guard let value = modules[index].slice.value(state, instance: id) else { return nil }
        return try encoder.encodeShared(Whole(value))
    }
}
