/// Slices of one module under ids of their own: a card for each film, a cart for each visitor.
///
/// On the wire it is an object with a member for each slice, in the order of the ids' bytes. A
/// change costs only the changed slice, and hardly more if there are many others.
public struct Instances<State: ModuleState>: ModuleState {
    /// The most bytes that an id may have.
    public static var idBytesMax: Int { 128 }

    /// A stored slice, which several versions of the table share.
    private final class Slice: Sendable {
        let state: State

        init(_ state: State) { self.state = state }
    }

    private var slices = SortedTable<Slice>()

    /// Makes an empty table.
    public init() {}

    /// The ids, sorted.
    public var ids: [String] { slices.map(\.key) }
    /// The number of slices.
    public var count: Int { slices.count }
    /// True if there are no slices.
    public var isEmpty: Bool { slices.count == 0 }

    /// The slice of an id; `nil` ends it.
    public subscript(id: String) -> State? {
        get { slices[id]?.state }
        set { slices[id] = newValue.map { Slice($0) } }
    }

    /// Reads an object of slices.
    public init(from decoder: any Decoder) throws {
        let states = try decoder.singleValueContainer().decode([ExactText: State].self)
        slices = SortedTable(
            sorted: states.sorted { $0.key < $1.key }.map { ($0.key.text, Slice($0.value)) }
        )
    }

    /// Writes an object of slices.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        var states: [ExactText: State] = Dictionary(minimumCapacity: slices.count)
        for (id, slice) in slices { states[ExactText(id)] = slice.state }
        try container.encode(states)
    }

    /// True if both have equal slices under the same ids. Slices that both share are skipped.
    public static func == (a: Instances, b: Instances) -> Bool {
        var isEqual = a.count == b.count
        guard isEqual else { return false }
        a.slices.forEachDifference(from: b.slices) { _, mine, theirs in
            isEqual = mine != nil && mine?.state == theirs?.state
            return isEqual
        }
        return isEqual
    }
}

extension Instances {
    /// Throws a ``Refusal`` if an instance cannot have this id, because its path would be ambiguous
    /// or too long.
    static func check(id: String) throws(Refusal) {
        guard 1...idBytesMax ~= id.utf8.count, id != "events", id != "ui" else {
            throw Refusal(
                reason:
                    "An instance has an id of 1 to \(idBytesMax) bytes, which is "
                    + "neither 'events' nor 'ui'."
            )
        }
    }

    /// Returns the ids whose slices were added, were removed or have other bytes than in an earlier
    /// version. Slices that both share are skipped.
    func ids(changedSince old: Instances, _ comparison: ByteComparison?) -> [String] {
        var ids: [String] = []
        slices.forEachDifference(from: old.slices) { id, new, old in
            if let new, let old, !differs(old.state, new.state, comparison) { return true }
            ids.append(id)
            return true
        }
        return ids
    }
}

extension Instances: KeyedState {
    package static var pieceForm: PieceForm { .object }

    package var pieces: [(key: String, value: any Encodable & Sendable)] {
        slices.map { ($0.key, $0.value.state) }
    }

    package func pieces(
        changedSince old: Instances
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        slices.differences(from: old.slices).map { ($0.key, $0.value?.state) }
    }
}

/// A slice that is encoded piece by piece, so that a change of a piece costs only this piece.
///
/// Versions share the pieces that did not change. The changed pieces are found without a look at
/// the others.
package protocol KeyedState: ModuleState {
    /// The arrangement of the pieces on the wire.
    static var pieceForm: PieceForm { get }

    /// The pieces, in their order on the wire, each under a name of its own.
    var pieces: [(key: String, value: any Encodable & Sendable)] { get }

    /// Returns the pieces that differ from an earlier version. The value of a removed piece is
    /// `nil`.
    func pieces(changedSince old: Self) -> [(key: String, value: (any Encodable & Sendable)?)]
}

/// The arrangement of pieces on the wire.
package enum PieceForm: Sendable, Equatable {
    /// An object with a member for each piece, under the piece's name.
    case object
    /// An object with a member for each piece, under the name of the only session that may see it.
    case objectOfSessions
    /// An object with one member of this name, an array of the pieces.
    case array(in: String)
}

extension KeyedState {
    /// Returns the pieces that differ from an earlier version; all pieces if `old` is not a version
    /// of this slice.
    package func pieces(
        since old: (any KeyedState)?
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        if let old = old as? Self { return pieces(changedSince: old) }
        return pieces.map { ($0.key, $0.value) }
    }
}
