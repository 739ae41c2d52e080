package import StoreTexts

/// The session and the sight with which a client reads the state.
package struct Viewer: Hashable, Sendable {
    /// The session whose slices stand in the place of all sessions' slices. If it is `nil`, the
    /// viewer reads the slices of all sessions.
    package let session: ExactText?
    /// The members of the root state that the viewer may read; `nil` for all of them.
    package let sight: Sight?

    package init(session: ExactText?, sight: Sight? = nil) {
        self.session = session
        self.sight = sight
    }

    /// The viewer without a session and a sight, which reads the whole state.
    package static let all = Viewer(session: nil)

    /// True if the viewer reads the whole state.
    package var seesAll: Bool { session == nil && sight == nil }

    package func sees(module: String) -> Bool { sight?.sees(module: module) ?? true }

    /// The viewer without its session, for a state that has no slices of sessions.
    package var withoutSession: Viewer { Viewer(session: nil, sight: sight) }
}

/// The members of the root state that a role may read.
///
/// Two sights with the same members are equal, so readers of several roles share streams.
package final class Sight: Hashable, Sendable {
    private let members: Set<ExactText>
    /// The names of the members in a fixed order, so that two sights are compared by one text.
    private let key: ExactText
    /// Returns true if the sight has the member at this index of the root state.
    ///
    /// The Core calls this closure for each action, and does not have the type `Sight`. The closure
    /// is made once.
    package let seesPlace: @Sendable (Int) -> Bool

    /// - Parameters:
    ///   - names: the names of all members of the root state, in their order.
    ///   - isSeen: returns true if the sight has the member of this name.
    package init(among names: [String], where isSeen: (String) -> Bool) {
        let places = names.map(isSeen)
        let seen = names.indices.filter { places[$0] }.map { names[$0] }
        members = Set(seen.map { ExactText($0) })
        key = ExactText(members.map(\.text).sorted().joined(separator: "/"))
        seesPlace = { places.indices.contains($0) && places[$0] }
    }

    /// True if the sight has this member of the root state.
    package func sees(module: String) -> Bool { members.contains(ExactText(module)) }

    /// True if this sight has all members of the other one. A `nil` sight stands for the whole
    /// state, so no sight covers it.
    package func covers(_ other: Sight?) -> Bool {
        other.map { $0.members.isSubset(of: members) } ?? false
    }

    package static func == (left: Sight, right: Sight) -> Bool {
        left === right || left.key == right.key
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
