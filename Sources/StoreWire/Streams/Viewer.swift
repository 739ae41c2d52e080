package import StoreTexts

/// The session, the user and the sight of a client. They decide which parts of the state the client
/// reads.
///
/// Copying a viewer copies only a reference. Most comparisons compare only references, because the
/// requests of clients without a session share a viewer.
package struct Viewer: Hashable, Sendable {
    private final class Parts: Sendable {
        let session: ExactText?
        let owner: ExactText?
        let role: ExactText?
        let principal: ExactText?
        let sight: Sight?
        /// The four names as one text, so that one comparison is enough.
        let names: ExactText

        init(
            _ session: ExactText?,
            _ owner: ExactText?,
            _ role: ExactText?,
            _ principal: ExactText?,
            _ sight: Sight?
        ) {
            // No name contains a zero byte, and none is empty.
            var text = session?.text ?? ""
            text += "\0"
            if let owner { text += owner.text }
            text += "\0"
            if let role { text += role.text }
            text += "\0"
            if let principal { text += principal.text }
            names = ExactText(text)
            self.session = session
            self.owner = owner
            self.role = role
            self.principal = principal
            self.sight = sight
        }
    }

    private static let none = Parts(nil, nil, nil, nil, nil)

    private let parts: Parts

    package init(
        session: ExactText?,
        owner: ExactText? = nil,
        role: ExactText? = nil,
        principal: ExactText? = nil,
        sight: Sight? = nil
    ) {
        let isNone =
            session == nil && owner == nil && role == nil && principal == nil && sight == nil
        parts = isNone ? Self.none : Parts(session, owner, role, principal, sight)
    }

    /// The session whose slices the viewer reads. If `session` is `nil`, the viewer reads the
    /// slices of all sessions.
    package var session: ExactText? { parts.session }
    /// The name under which the viewer owns slices of users, as a user or as a visitor. If `owner`
    /// is `nil`, the viewer reads the slices of all users.
    package var owner: ExactText? { parts.owner }
    /// The viewer's role, which may be a reader of restricted slices; `nil` without a role.
    package var role: ExactText? { parts.role }
    /// The role and the name of the viewer, if the subject depends on the principal itself; `nil`
    /// for all other subjects.
    package var principal: ExactText? { parts.principal }
    /// The members of the root state that the viewer may read; `nil` if the viewer may read all
    /// members.
    package var sight: Sight? { parts.sight }

    /// The viewer's ``ReaderName`` for restricted slices; `nil` if the viewer reads all of them.
    package var readerName: String? {
        owner.map { ReaderName.client($0.text, role: role?.text) }
    }

    /// The viewer that reads the whole state: it has no session, no owner and no sight.
    package static let unrestricted = Viewer(session: nil)

    package static func == (left: Viewer, right: Viewer) -> Bool {
        let (mine, theirs) = (left.parts, right.parts)
        return mine === theirs || (mine.sight == theirs.sight && mine.names == theirs.names)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(parts.names)
        hasher.combine(parts.sight)
    }

    /// True if the viewer reads the whole state.
    package var seesAll: Bool { session == nil && owner == nil && sight == nil }

    package func sees(module: String) -> Bool { sight?.sees(module: module) ?? true }

    /// Returns this viewer, with its session, owner and role only if slices of the subject depend
    /// on them. `session` is true if slices belong to sessions, `owner` if slices belong to users,
    /// and `restricted` if some slices are restricted.
    package func keeping(
        session keepsSession: Bool,
        owner keepsOwner: Bool,
        restricted: Bool
    ) -> Viewer {
        if keepsSession && restricted { return self }
        return Viewer(
            session: keepsSession ? session : nil,
            owner: keepsOwner || restricted ? owner : nil,
            role: restricted ? role : nil,
            sight: sight
        )
    }
}

/// The members of the root state that a role may read.
///
/// Two sights with the same members are equal. So clients whose roles may read the same members
/// share the frames of a topic.
package final class Sight: Hashable, Sendable {
    private let members: Set<ExactText>
    /// The sorted names of the members in one text. Two sights are equal if these texts are equal.
    private let joinedMemberNames: ExactText
    /// A function that returns true if the sight has the member at this index of the root state.
    ///
    /// The Core calls this closure for each action. The Core gets a closure because the Core's
    /// target does not import the type `Sight`.
    package let seesMemberAtIndex: @Sendable (Int) -> Bool

    /// - Parameters:
    ///   - names: the names of all members of the root state, in their order.
    ///   - isSeen: returns true if the sight has the member with this name.
    package init(among names: [String], where isSeen: (String) -> Bool) {
        let places = names.map(isSeen)
        let seen = names.indices.filter { places[$0] }.map { names[$0] }
        members = Set(seen.map { ExactText($0) })
        joinedMemberNames = ExactText(members.map(\.text).sorted().joined(separator: "/"))
        seesMemberAtIndex = { places.indices.contains($0) && places[$0] }
    }

    /// Returns true if the sight has the slice of this module.
    package func sees(module: String) -> Bool { members.contains(ExactText(module)) }

    /// Returns true if this sight has all members of `other`. If `other` is `nil`, which stands for
    /// the whole state, returns false.
    package func covers(_ other: Sight?) -> Bool {
        other.map { $0.members.isSubset(of: members) } ?? false
    }

    package static func == (left: Sight, right: Sight) -> Bool {
        left === right || left.joinedMemberNames == right.joinedMemberNames
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(joinedMemberNames) }
}
