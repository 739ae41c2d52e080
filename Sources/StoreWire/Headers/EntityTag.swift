/// An entity tag, which identifies a version of a resource (RFC 9110 §8.8.3): `"4f1c09ab:42"` or
/// `W/"…"`.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    package let isWeak: Bool
    /// The text between the quotes.
    package let opaqueTag: String

    package init(opaqueTag: String, isWeak: Bool = false) {
        self.opaqueTag = opaqueTag
        self.isWeak = isWeak
    }

    package var description: String { isWeak ? "W/\"\(opaqueTag)\"" : "\"\(opaqueTag)\"" }
}

/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
package enum EntityTagCondition: Sendable, Equatable {
    /// `*`: any current representation.
    case any
    /// At least one tag.
    case list([EntityTag])

    /// The maximum number of tags in one header. A header with more tags is invalid.
    package static let tagsMax = 256

    /// Reads `*` or a list of entity tags. Returns `nil` for any other value, and for a list with
    /// more than ``tagsMax`` tags.
    ///
    /// Empty elements of the list are ignored, as RFC 9110 §5.6.1.2 requires.
    package init?(_ text: some StringProtocol) {
        var scanner = HeaderScanner(text)
        scanner.skipWhitespace()
        if scanner.take("*") {
            scanner.skipWhitespace()
            guard scanner.isAtEnd else { return nil }
            self = .any
            return
        }
        var tags: [EntityTag] = []
        while !scanner.isAtEnd {
            if !scanner.take(",") {
                guard tags.count < EntityTagCondition.tagsMax,
                    let tag = EntityTagCondition.takeTag(&scanner)
                else { return nil }
                tags.append(tag)
                scanner.skipWhitespace()
                guard scanner.isAtEnd || scanner.take(",") else { return nil }
            }
            scanner.skipWhitespace()
        }
        guard !tags.isEmpty else { return nil }
        self = .list(tags)
    }

    /// Returns true if the value is `*`, or if `isMet` returns true for a tag of the list.
    package func isMet(by isMet: (EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .list(let tags): tags.contains(where: isMet)
        }
    }

    private static func takeTag(_ scanner: inout HeaderScanner) -> EntityTag? {
        let isWeak = scanner.take("W")
        if isWeak, !scanner.take("/") { return nil }
        guard scanner.take("\"") else { return nil }
        // An entity tag has no escapes. A backslash is an ordinary character.
        let opaque = scanner.take { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
        guard scanner.take("\"") else { return nil }
        return EntityTag(opaqueTag: String(opaque), isWeak: isWeak)
    }
}
