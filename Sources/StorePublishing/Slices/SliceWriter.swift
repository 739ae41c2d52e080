import StoreActionCatalog
package import StoreCore
package import StoreJSON
import StorePlatform
package import StoreWire

/// A writer for a state that is made of modules. The writer encodes only the slices that may have
/// changed. If such a slice has pieces (owners, instances or pending effects), the writer encodes
/// only the changed pieces.
///
/// The bytes of unchanged slices are reused, and the slices are joined only for readers of the
/// whole state.
package final class SliceWriter<State: RootState>: StateWriter {
    private let encoder: JSONEncoder
    private let edited: EditedModules
    private let layout = SliceLayout(of: State.self)
    private let modules = State.modules
    /// For each slice, true if the slice is made of pieces.
    private let isInPiecesByModule = State.modules.map {
        $0.slicePlace.ownership.dependsOnReader
            || $0.slicePlace.wireType is any PiecewiseState.Type
    }
    /// For each slice, true if the slice is hidden from all clients without being a restricted
    /// slice itself.
    private let isHiddenLedgerByModule = zip(State.modules, State.readOwnership).map {
        $1 == .readers && $0.slicePlace.ownership != .readers
    }
    private var slices: [PublishedSlice] = []
    /// The values from which the slices with pieces were encoded, by the index of the module.
    private var sourceValuesByModule: [Int: any Sendable] = [:]
    private var committedSlices: [PublishedSlice] = []
    private var committedSourceValuesByModule: [Int: any Sendable] = [:]
    private let times: EncodeTimes?

    /// Makes a writer. `times` records the duration of each encoding; `nil` to record no durations.
    package init(
        _ encoder: JSONEncoder,
        _ edited: EditedModules,
        measuring times: EncodeTimes? = nil
    ) {
        self.times = times
        self.encoder = encoder
        self.edited = edited
    }

    package func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        let (edited, readers) = (self.edited.takeModuleIndices(), self.edited.takeReaders())
        var writer = PieceWriter(encoder: encoder, version: tag.version)
        if slices.isEmpty {
            slices = try modules.indices.map { index throws(JSONError) in
                try encodedSlice(index, state, &writer)
            }
        } else {
            // The clock is read once for each slice, and once before the first slice.
            var began = times == nil ? 0 : SystemTime.steadyNanoseconds()
            for index in edited {
                slices[index] = try encodedSlice(index, state, &writer)
                guard let times else { continue }
                let ended = SystemTime.steadyNanoseconds()
                times.observe(index, from: began, to: ended)
                began = ended
            }
        }
        let own = writer.ownBytes
        return Snapshot(tag: tag, slices: slices, layout: layout, ownBytes: own, readers: readers)
    }

    package func keepEncoded() {
        committedSlices = slices
        committedSourceValuesByModule = sourceValuesByModule
    }

    package func discardEncoded() {
        // The Core has restored the state of the last commit, so the slices of that commit are
        // restored, too. A restored module may stay in ``edited``, which costs no more than one
        // needless comparison.
        slices = committedSlices
        sourceValuesByModule = committedSourceValuesByModule
    }

    /// Returns the encoded slice; the old slice if no byte differs.
    private func encodedSlice(
        _ index: Int,
        _ state: State,
        _ writer: inout PieceWriter
    ) throws(JSONError) -> PublishedSlice {
        var value = modules[index].slicePlace.memberValue(state)
        if isHiddenLedgerByModule[index] { value = RestrictedValue(hiding: value) }
        let old = slices.isEmpty ? nil : slices[index]
        guard isInPiecesByModule[index] else { return try writer.wholeSlice(value, after: old) }
        defer { sourceValuesByModule[index] = value }
        return try writer.slice(of: value, after: old, sourceValuesByModule[index])
    }
}

/// An encoder for the slices of one version, based on the version before.
private struct PieceWriter {
    let encoder: JSONEncoder
    let version: UInt64
    /// The number of encoded bytes that no earlier version has.
    private(set) var ownBytes = 0

    /// Returns the slice of a value. `old` is the slice of `oldValue`, an earlier value.
    mutating func slice(
        of value: (any Encodable & Sendable)?,
        after old: PublishedSlice?,
        _ oldValue: (any Sendable)?
    ) throws(JSONError) -> PublishedSlice {
        switch value {
        case let value as RestrictedValue:
            try restrictedSlice(of: value, after: old, oldValue as? RestrictedValue)
        case let value as any OwnedValues:
            try sliceOfOwners(of: value, after: old, oldValue as? any OwnedValues)
        case let value as any PiecewiseState:
            try sliceOfPieces(of: value, after: old, oldValue as? any PiecewiseState)
        default: try wholeSlice(value, after: old)
        }
    }

    mutating func wholeSlice(
        _ value: (any Encodable & Sendable)?,
        after old: PublishedSlice?
    ) throws(JSONError) -> PublishedSlice {
        let new = try value.map(encode)
        let before = old?.bytes
        if let old, before == new { return old }
        ownBytes += new?.byteCount(notSharedWith: before) ?? 0
        return PublishedSlice(document: new, version: version)
    }

    private mutating func sliceOfPieces(
        of value: any PiecewiseState,
        after old: PublishedSlice?,
        _ oldValue: (any PiecewiseState)?
    ) throws(JSONError) -> PublishedSlice {
        let form = type(of: value).pieceLayout
        if form == .objectBySession {
            return try sliceOfSessionParts(of: value, after: old, oldValue)
        }
        guard let old, let pieces = old.pieces, let oldValue else {
            var pieces: [(key: String, value: Bytes)] = []
            for (name, value) in value.pieces { pieces.append((name, try encode(value))) }
            let encoded = EncodedPieces(SortedTable(sorted: pieces), form)
            return PublishedSlice(.pieces(encoded), version: version)
        }
        var renewed: [(id: String, piece: Bytes?)] = []
        for (name, value) in value.changedPieces(since: oldValue) {
            renewed.append((name, try value.map(encode)))
        }
        guard let (new, bytes) = pieces.replacing(renewed) else { return old }
        self.ownBytes += bytes
        return PublishedSlice(.pieces(new), version: version)
    }

    /// Returns the slice of a value that has a part for each session.
    private mutating func sliceOfSessionParts(
        of value: any PiecewiseState,
        after old: PublishedSlice?,
        _ oldValue: (any PiecewiseState)?
    ) throws(JSONError) -> PublishedSlice {
        let oldSlices = old?.ownedSlices
        var renewed: [(owner: String, slice: PublishedSlice?)] = []
        for (session, part) in value.changedPieces(since: oldSlices == nil ? nil : oldValue) {
            guard let part else {
                renewed.append((session, nil))
                continue
            }
            let before = oldSlices?[session]
            let slice = try wholeSlice(part, after: before)
            if slice.version == version || before == nil { renewed.append((session, slice)) }
        }
        if let old, oldSlices != nil, renewed.isEmpty { return old }
        let none = PublishedSlice(.pieces(EncodedPieces(SortedTable())), version: 0)
        let slices = oldSlices ?? OwnedSlices([], initial: none, .underSessionName)
        return PublishedSlice(.byReader(slices.replacing(renewed, at: version)), version: version)
    }

    private mutating func sliceOfOwners(
        of value: any OwnedValues,
        after old: PublishedSlice?,
        _ oldValue: (any OwnedValues)?
    ) throws(JSONError) -> PublishedSlice {
        let oldSlices = old?.ownedSlices
        let (owners, isFirst) = value.changes(since: oldSlices == nil ? nil : oldValue)
        var renewed: [(owner: String, slice: PublishedSlice?)] = []
        for owner in owners {
            guard value.hasOwnValue(of: owner) else {
                renewed.append((owner, nil))
                continue
            }
            let before = oldSlices?[owner]
            let (part, oldPart) = (value.value(of: owner), oldValue?.value(of: owner))
            let slice = try slice(of: part, after: before ?? oldSlices?.initialSlice, oldPart)
            if before == nil || slice.version == version { renewed.append((owner, slice)) }
        }
        var first = oldSlices?.initialSlice
        if isFirst || first == nil {
            first = try slice(of: value.value(of: nil), after: first, oldValue?.value(of: nil))
        }
        guard let first else { return PublishedSlice(document: nil, version: version) }
        if let old, let oldSlices, renewed.isEmpty, oldSlices.initialSlice.version == first.version
        {
            return old
        }
        let slices = oldSlices ?? OwnedSlices([], initial: first, .bareSlice)
        return PublishedSlice(
            .byReader(slices.replacing(renewed, initial: first, at: version)),
            version: version
        )
    }

    private mutating func restrictedSlice(
        of value: RestrictedValue,
        after old: PublishedSlice?,
        _ oldValue: RestrictedValue?
    ) throws(JSONError) -> PublishedSlice {
        let oldSlices = old?.restrictedSlices
        let whole = try slice(of: value.value, after: oldSlices?.allSlices, oldValue?.value)
        guard let old, let oldSlices else {
            return PublishedSlice(
                .byReader(RestrictedSlices(value, whole: whole)),
                version: whole.version
            )
        }
        // Readers depend only on the slice, so a slice with the same bytes has the same readers.
        guard whole.version == version else { return old }
        let names = oldSlices.allSlices.pieces.flatMap { before in
            whole.pieces?.ids(changedSince: before)
        }
        let slices = oldSlices.replacing(
            names ?? [RestrictedSlices.singleName],
            of: value,
            whole: whole
        )
        return PublishedSlice(.byReader(slices), version: version)
    }

    private func encode(_ value: any Encodable & Sendable) throws(JSONError) -> Bytes {
        try encoder.encodeShared(AnyEncodable(value))
    }
}
