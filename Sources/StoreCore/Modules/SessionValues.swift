/// The values that the sessions have of a module, without their type: ``PerSession``.
package protocol SessionValues: Encodable, Sendable {
    /// Returns the value of a session; for `nil`, the value that every session begins with. An
    /// absent slice is `nil`, too.
    func part(of session: String?) -> (any Encodable & Sendable)?

    /// The sessions that have values of their own.
    var sessions: [String] { get }

    /// True if a session has a value of its own.
    func hasPart(of session: String) -> Bool

    /// Returns the sessions whose values differ from an earlier version. `isFirst` is true if the
    /// value that every session begins with differs. If `old` is no version of these values, all
    /// sessions are returned, and `isFirst` is true.
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
