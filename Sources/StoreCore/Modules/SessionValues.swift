/// What the sessions have of a module, whatever its type is: ``PerSession``.
package protocol SessionValues: Encodable, Sendable {
    /// What a session has; of `nil`, what every session begins with. No value stands for a slice
    /// that is absent.
    func part(of session: String?) -> (any Encodable & Sendable)?

    /// The sessions that have something of their own.
    var sessions: [String] { get }

    /// Whether a session has something of its own.
    func hasPart(of session: String) -> Bool

    /// The sessions for which an earlier version has something else, and whether every session
    /// begins with something else. All, where that is no version of this one.
    func changes(since old: (any SessionValues)?) -> (sessions: [String], isFirst: Bool)
}

extension PerSession: SessionValues {
    /// Writes an object with a member for each session that has changed its value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kept)
    }

    package func part(of session: String?) -> (any Encodable & Sendable)? {
        let value = read(session)
        if let optional = value as? any PossiblyAbsent, optional.isAbsent { return nil }
        return value
    }

    package func hasPart(of session: String) -> Bool { has(session) }

    package func changes(
        since old: (any SessionValues)?
    ) -> (sessions: [String], isFirst: Bool) {
        guard let old = old as? PerSession else { return (sessions, true) }
        return changes(since: old)
    }
}

/// A value that may be none.
private protocol PossiblyAbsent {
    var isAbsent: Bool { get }
}

extension Optional: PossiblyAbsent {
    fileprivate var isAbsent: Bool {
        if case .none = self { true } else { false }
    }
}
