package import StoreTexts

/// As whom the state is read: of which session, and with what sight.
package struct Viewer: Hashable, Sendable {
    /// The session whose slices stand in the place of all; `nil` where what all sessions have is
    /// read.
    package let session: ExactText?
    /// What is there for it; `nil` for all of it.
    package let sight: Sight?

    package init(session: ExactText?, sight: Sight? = nil) {
        self.session = session
        self.sight = sight
    }

    /// All of what all sessions have.
    package static let all = Viewer(session: nil)

    /// Whether it is shown all there is.
    package var seesAll: Bool { session == nil && sight == nil }

    /// Whether the module of this name is there for it.
    package func sees(module: String) -> Bool { sight?.sees(module: module) ?? true }

    /// The same in a state without slices of sessions, where all sessions see the same.
    package var withoutSession: Viewer { Viewer(session: nil, sight: sight) }
}

/// What a role sees of the state: the members that are there for it.
///
/// Two that have the same members are equal, so that readers of several roles share streams.
package final class Sight: Hashable, Sendable {
    private let members: Set<ExactText>
    /// The members in one order, so that comparing two sights compares one text.
    private let key: ExactText
    /// Whether the member at a place in the root state is there. A function, because the Core,
    /// which has no sights, asks it for each action; made once.
    package let seesPlace: @Sendable (Int) -> Bool

    /// - Parameters:
    ///   - names: of all members of the root state, in their order.
    ///   - isSeen: whether one of them is there.
    package init(among names: [String], where isSeen: (String) -> Bool) {
        let places = names.map(isSeen)
        let seen = names.indices.filter { places[$0] }.map { names[$0] }
        members = Set(seen.map { ExactText($0) })
        key = ExactText(members.map(\.text).sorted().joined(separator: "/"))
        seesPlace = { places.indices.contains($0) && places[$0] }
    }

    /// Whether a member of the root state is there.
    package func sees(module: String) -> Bool { members.contains(ExactText(module)) }

    /// Whether all that is there with another sight is there with this one; `nil` is all of the
    /// state.
    package func covers(_ other: Sight?) -> Bool {
        other.map { $0.members.isSubset(of: members) } ?? false
    }

    package static func == (left: Sight, right: Sight) -> Bool {
        left === right || left.key == right.key
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}
