import StoreTexts

/// A validator of a representation (RFC 9110 §8.8.3): `"4f1c09ab:42"` or `W/"…"`.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    package let isWeak: Bool
    /// The text between the quotes.
    package let opaque: String

    package init(opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    package var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// True if both are equal and strong: the comparison of `If-Match` (RFC 9110 §8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque.isSame(as: other.opaque)
    }

    /// True if both are equal, weak or strong: the comparison of `If-None-Match`.
    package func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque.isSame(as: other.opaque)
    }
}
