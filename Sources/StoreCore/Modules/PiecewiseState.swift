/// A slice that is encoded piece by piece, so that a change of one costs what this one costs.
///
/// Versions share the pieces that did not change; which did is found without looking at the others.
package protocol PiecewiseState: ModuleState {
    /// How the pieces stand together on the wire.
    static var pieceForm: PieceForm { get }

    /// All pieces, in the order in which they stand on the wire, each under a name of its own.
    var pieces: [(key: String, value: any Encodable & Sendable)] { get }

    /// The pieces that an earlier version has otherwise; no value stands for one that is gone.
    func pieces(changedSince old: Self) -> [(key: String, value: (any Encodable & Sendable)?)]
}

/// How pieces stand together on the wire.
package enum PieceForm: Sendable, Equatable {
    /// An object with a member for each piece, under the piece's name.
    case object
    /// Likewise, each under the name of a session, which alone may see it.
    case objectOfSessions
    /// An object with one member of this name, which is an array of the pieces.
    case array(in: String)
}

extension PiecewiseState {
    /// The pieces that an earlier version has otherwise; all, where that is no version of this
    /// slice.
    package func pieces(
        since old: (any PiecewiseState)?
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        if let old = old as? Self { return pieces(changedSince: old) }
        return pieces.map { ($0.key, $0.value) }
    }
}
