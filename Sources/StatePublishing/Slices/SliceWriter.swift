import ActionCatalog
package import StoreCore
package import Wire

/// Encodes a state that is made of modules: only the slices that may have changed, each once, and
/// of a slice that is made of pieces only these: instances, sessions, pending effects.
///
/// An action on a small module or on one instance costs the same however large the others are:
/// their bytes are those of before, and the whole is put together only for its readers.
package final class SliceWriter<State: RootState>: StateWriter {
    private let encoder: JSONEncoder
    private let touched: TouchedModules
    private let layout = SliceLayout(State.modules.map(\.name))
    private let modules = State.modules
    /// How the pieces of each slice stand together; `nil` for one that is encoded whole.
    private let forms: [PieceForm?]
    private var slices: [PublishedSlice] = []
    /// What the slices that are made of pieces were encoded from, by their places.
    private var values: [Int: any PiecewiseState] = [:]
    private var committedSlices: [PublishedSlice] = []
    private var committedValues: [Int: any PiecewiseState] = [:]

    package init(_ encoder: JSONEncoder, _ touched: TouchedModules) {
        self.encoder = encoder
        self.touched = touched
        forms = State.modules.map { ($0.slice.wireType as? any PiecewiseState.Type)?.pieceForm }
    }

    package func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        let touched = touched.take()
        var bytes = 0
        if slices.isEmpty {
            slices = try modules.indices.map { index throws(JSONError) in
                try encoded(index, of: state, at: tag.version)
            }
        } else {
            for touched in touched {
                bytes += try renew(touched.module, of: state, at: tag.version)
            }
        }
        return Snapshot(tag: tag, slices: slices, layout: layout, ownBytes: bytes)
    }

    package func committed() {
        committedSlices = slices
        committedValues = values
    }

    package func rolledBack() {
        // The state is that of the last commit again, and these are what it was encoded to. What is
        // still noted as touched was so in vain, and is compared once more.
        slices = committedSlices
        values = committedValues
    }

    /// Brings a slice up to date. Returns how many bytes were encoded that no version before has.
    private func renew(
        _ index: Int,
        of state: State,
        at version: UInt64
    ) throws(JSONError) -> Int {
        guard let pieces = slices[index].pieces, let value = value(index, state) else {
            let new = try encoded(index, of: state, at: version)
            guard new.bytes != slices[index].bytes else { return 0 }
            slices[index] = new
            return new.bytes?.count ?? 0
        }
        var renewed: [(id: String, piece: Bytes?)] = []
        for (name, value) in value.pieces(since: values[index]) {
            renewed.append((name, try value.map(encoded)))
        }
        values[index] = value
        guard let (new, bytes) = pieces.with(renewed) else { return 0 }
        slices[index] = PublishedSlice(pieces: new, version: version)
        return bytes
    }

    private func encoded(
        _ index: Int,
        of state: State,
        at version: UInt64
    ) throws(JSONError) -> PublishedSlice {
        guard let form = forms[index], let value = value(index, state) else {
            let bytes = try modules[index].slice.value(state).map(encoded)
            return PublishedSlice(bytes: bytes, version: version)
        }
        var pieces: [(key: String, value: Bytes)] = []
        for (name, value) in value.pieces { pieces.append((name, try encoded(value))) }
        values[index] = value
        return PublishedSlice(
            pieces: InstancePieces(SortedTable(sorted: pieces), form),
            version: version
        )
    }

    private func value(_ index: Int, _ state: State) -> (any PiecewiseState)? {
        forms[index] == nil ? nil : modules[index].slice.value(state) as? any PiecewiseState
    }

    private func encoded(_ value: any Encodable & Sendable) throws(JSONError) -> Bytes {
        try encoder.encodeShared(AnyEncodable(value))
    }
}
