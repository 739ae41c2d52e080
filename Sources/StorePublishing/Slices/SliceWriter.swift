import StoreActionCatalog
package import StoreCore
import StorePlatform
package import StoreWire

/// Encodes a state that is made of modules: only the slices that may have changed, each once, and
/// of a slice that is made of pieces only these: the slices of sessions, instances, pending
/// effects.
///
/// An action on a small module, on one instance or on the slice of one session costs the same
/// however large the others are: their bytes are those of before, and the whole is put together
/// only for its readers.
package final class SliceWriter<State: RootState>: StateWriter {
    private let encoder: JSONEncoder
    private let touched: TouchedModules
    private let layout = SliceLayout(State.modules)
    private let modules = State.modules
    /// Which slices are made of pieces.
    private let isInPieces = State.modules.map {
        $0.slice.ownership == .session || $0.slice.wireType is any PiecewiseState.Type
    }
    private var slices: [PublishedSlice] = []
    /// What the slices that are made of pieces were encoded from, by their places.
    private var values: [Int: any Sendable] = [:]
    private var committedSlices: [PublishedSlice] = []
    private var committedValues: [Int: any Sendable] = [:]

    private let times: EncodeTimes?

    /// Makes a writer; `times` has what is measured of it, if anything is.
    package init(
        _ encoder: JSONEncoder,
        _ touched: TouchedModules,
        measuring times: EncodeTimes? = nil
    ) {
        self.times = times
        self.encoder = encoder
        self.touched = touched
    }

    package func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        let (touched, audience) = (self.touched.take(), self.touched.takeAudience())
        var writer = PieceWriter(encoder, at: tag.version)
        if slices.isEmpty {
            slices = try modules.indices.map { index throws(JSONError) in
                try written(index, state, &writer)
            }
        } else {
            // The clock is read once more than there are slices.
            var began = times == nil ? 0 : SystemTime.steadyNanoseconds()
            for index in touched {
                slices[index] = try written(index, state, &writer)
                guard let times else { continue }
                let ended = SystemTime.steadyNanoseconds()
                times.observe(index, from: began, to: ended)
                began = ended
            }
        }
        return Snapshot(
            tag: tag,
            slices: slices,
            layout: layout,
            ownBytes: writer.bytes,
            audience: audience
        )
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

    /// A slice as it is now; as it was, where none of its bytes are others.
    private func written(
        _ index: Int,
        _ state: State,
        _ writer: inout PieceWriter
    ) throws(JSONError) -> PublishedSlice {
        let value = modules[index].slice.value(state)
        let old = slices.isEmpty ? nil : slices[index]
        guard isInPieces[index] else { return try writer.whole(value, after: old) }
        defer { values[index] = value }
        return try writer.slice(of: value, after: old, values[index])
    }
}

/// Encodes the slices of one version, each from the one before.
private struct PieceWriter {
    private let encoder: JSONEncoder
    private let version: UInt64
    /// How many bytes were encoded that no version before has.
    private(set) var bytes = 0

    init(_ encoder: JSONEncoder, at version: UInt64) {
        self.encoder = encoder
        self.version = version
    }

    /// The slice of a value, which follows the slice of an earlier value.
    mutating func slice(
        of value: (any Encodable & Sendable)?,
        after old: PublishedSlice?,
        _ oldValue: (any Sendable)?
    ) throws(JSONError) -> PublishedSlice {
        switch value {
        case let value as any SessionValues:
            try sessions(of: value, after: old, oldValue as? any SessionValues)
        case let value as any PiecewiseState:
            try pieces(of: value, after: old, oldValue as? any PiecewiseState)
        default: try whole(value, after: old)
        }
    }

    mutating func whole(
        _ value: (any Encodable & Sendable)?,
        after old: PublishedSlice?
    ) throws(JSONError) -> PublishedSlice {
        let new = try value.map(encoded)
        if let old, old.bytes == new { return old }
        bytes += new?.count ?? 0
        return PublishedSlice(bytes: new, version: version)
    }

    private mutating func pieces(
        of value: any PiecewiseState,
        after old: PublishedSlice?,
        _ oldValue: (any PiecewiseState)?
    ) throws(JSONError) -> PublishedSlice {
        let form = type(of: value).pieceForm
        if form == .objectOfSessions { return try parts(of: value, after: old, oldValue) }
        guard let old, let pieces = old.pieces, let oldValue else {
            var pieces: [(key: String, value: Bytes)] = []
            for (name, value) in value.pieces { pieces.append((name, try encoded(value))) }
            return PublishedSlice(
                pieces: InstancePieces(SortedTable(sorted: pieces), form),
                version: version
            )
        }
        var renewed: [(id: String, piece: Bytes?)] = []
        for (name, value) in value.pieces(since: oldValue) {
            renewed.append((name, try value.map(encoded)))
        }
        guard let (new, bytes) = pieces.with(renewed) else { return old }
        self.bytes += bytes
        return PublishedSlice(pieces: new, version: version)
    }

    /// The parts that sessions have of one slice.
    private mutating func parts(
        of value: any PiecewiseState,
        after old: PublishedSlice?,
        _ oldValue: (any PiecewiseState)?
    ) throws(JSONError) -> PublishedSlice {
        let known = old?.sessions
        var renewed: [(session: String, slice: PublishedSlice?)] = []
        for (session, part) in value.pieces(since: known == nil ? nil : oldValue) {
            guard let part else {
                renewed.append((session, nil))
                continue
            }
            let before = known?[session]
            let slice = try whole(part, after: before)
            if slice.version == version || before == nil { renewed.append((session, slice)) }
        }
        if let old, known != nil, renewed.isEmpty { return old }
        let none = PublishedSlice(pieces: InstancePieces(SortedTable()), version: 0)
        let slices = known ?? SessionSlices([], first: none, .member)
        return PublishedSlice(sessions: slices.with(renewed), version: version)
    }

    private mutating func sessions(
        of value: any SessionValues,
        after old: PublishedSlice?,
        _ oldValue: (any SessionValues)?
    ) throws(JSONError) -> PublishedSlice {
        let known = old?.sessions
        let (sessions, isFirst) = value.changes(since: known == nil ? nil : oldValue)
        var renewed: [(session: String, slice: PublishedSlice?)] = []
        for session in sessions {
            guard value.hasPart(of: session) else {
                renewed.append((session, nil))
                continue
            }
            let before = known?[session]
            let slice = try slice(
                of: value.part(of: session),
                after: before ?? known?.first,
                oldValue?.part(of: session)
            )
            if before == nil || slice.version == version { renewed.append((session, slice)) }
        }
        var first = known?.first
        if isFirst || first == nil {
            first = try slice(of: value.part(of: nil), after: first, oldValue?.part(of: nil))
        }
        guard let first else { return PublishedSlice(bytes: nil, version: version) }
        if let old, let known, renewed.isEmpty, known.first.version == first.version { return old }
        let slices = known ?? SessionSlices([], first: first, .own)
        return PublishedSlice(sessions: slices.with(renewed, first: first), version: version)
    }

    private func encoded(_ value: any Encodable & Sendable) throws(JSONError) -> Bytes {
        try encoder.encodeShared(AnyEncodable(value))
    }
}
