/// A slice that is encoded piece by piece, so that a change of a piece costs only this piece.
///
/// Versions share the pieces that did not change. The changed pieces are found without a look at
/// the others.
package protocol KeyedState: ModuleState {
    /// The arrangement of the pieces on the wire.
    static var pieceForm: PieceForm { get }

    /// All pieces, in their order on the wire, each under a name of its own.
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
