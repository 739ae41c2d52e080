/// Slices of one module under ids of their own: a card for each film, a cart for each visitor.
///
/// On the wire the slices are the members of one object, in the order of the ids' bytes. The cost
/// of a change hardly depends on the number of slices.
public struct Instances<State: ModuleState>: ModuleState {
    /// The maximum size of an id, in bytes.
    public static var idBytesMax: Int { 128 }

    package private(set) var table = ValueTable<State>()
    /// The ids for each reader, if the module is a ``RestrictedModule``.
    package var readerIndex: ReaderIndex?

    /// Makes a value without slices.
    public init() {}

    /// The ids, sorted.
    public var ids: [String] { table.names }
    /// The number of slices.
    public var count: Int { table.count }
    /// True if there are no slices.
    public var isEmpty: Bool { table.count == 0 }

    /// The slice of an id; the assignment of `nil` ends the slice.
    public subscript(id: String) -> State? {
        get { table[id] }
        set { table[id] = newValue }
    }

    /// Reads an object of slices.
    public init(from decoder: any Decoder) throws { table = try ValueTable(from: decoder) }

    /// Writes an object of slices.
    public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }
}

extension Instances: Equatable {
    /// True if both values have equal slices under the same ids.
    public static func == (a: Instances, b: Instances) -> Bool { a.table == b.table }
}

extension Instances {
    /// Returns a value with only the slices under these ids.
    func narrowed(to ids: [String]) -> Instances {
        var narrowed = self
        narrowed.table = table.narrowed(to: ids)
        return narrowed
    }

    /// Throws a ``Refusal`` if an instance cannot have this id, because its path would be ambiguous
    /// or too long.
    static func check(id: String) throws(Refusal) {
        guard 1...idBytesMax ~= id.utf8.count, id != "events", id != "ui" else {
            throw Refusal(
                reason: "The id of an instance must have 1 to \(idBytesMax) bytes, and must not be "
                    + "'events' or 'ui'."
            )
        }
    }

    /// Returns the ids whose slices were added, were removed or have other bytes than in an earlier
    /// version. Slices that both versions share are skipped.
    func ids(changedSince old: Instances, _ comparison: ByteComparison?) -> [String] {
        var ids: [String] = []
        table.forEachDifference(from: old.table) { id, new, old in
            if let new, let old, !differs(old.value, new.value, comparison) { return true }
            ids.append(id)
            return true
        }
        return ids
    }
}

extension Instances: PiecewiseState {
    package static var pieceLayout: PieceLayout { .object }
}

/// A slice made of pieces that are encoded separately. After a change, only the changed pieces are
/// encoded again.
///
/// Versions share the pieces that did not change. A search for the changed pieces reads no shared
/// piece.
package protocol PiecewiseState: ModuleState {
    /// The arrangement of the pieces on the wire.
    static var pieceLayout: PieceLayout { get }

    associatedtype Piece: Encodable & Sendable

    /// The pieces, in their order on the wire, each under a name of its own.
    var table: ValueTable<Piece> { get }
}

/// The arrangement of pieces on the wire.
package enum PieceLayout: Sendable, Equatable {
    /// An object with a member for each piece, under the piece's name.
    case object
    /// An object with a member for each piece, under the name of a session. Only this session may
    /// see the piece.
    case objectBySession
    /// An object with one member of this name, an array of the pieces.
    case array(in: String)
}

extension PiecewiseState {
    package var pieces: [(key: String, value: any Encodable & Sendable)] {
        table.members.map { ($0.key, $0.value) }
    }

    /// Returns the pieces that differ from an earlier version; all pieces if `old` is not a version
    /// of this slice. The value of a removed piece is `nil`.
    package func changedPieces(
        since old: (any PiecewiseState)?
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        guard let old = old as? Self else { return pieces.map { ($0.key, $0.value) } }
        return table.differences(from: old.table).map { ($0.key, $0.value) }
    }
}
