/// The names of the owners of slices. The names of sessions, users and visitors never collide.
///
/// - A session owns slices of a ``PerSession`` under the session's name, of hexadecimal digits.
/// - A user owns slices of a ``PerPrincipal`` under `@` and the principal's name.
/// - A visitor, a client without a credential, owns slices of a ``PerPrincipal`` under `~` and the
///   name of the visitor's session.
package enum OwnerName {
    private static let userMark = UInt8(ascii: "@")
    private static let visitorMark = UInt8(ascii: "~")

    /// The maximum number of users and visitors that have slices of one module.
    package static let usersMax = 1_000_000

    package static func user(_ principal: String) -> String { "@" + principal }
    package static func visitor(_ session: String) -> String { "~" + session }

    /// Returns the user or the visitor whose slices a client's actions change.
    package static func ofClient(as principal: String?, in session: String?) -> String {
        principal.map(user) ?? visitor(session ?? SessionName.shared)
    }

    /// Returns the name of the principal if the owner is a user.
    package static func principal(of owner: String) -> String? {
        withoutMark(userMark, owner)
    }

    /// Returns the session if the owner is a visitor.
    package static func visitorSession(of owner: String) -> String? {
        withoutMark(visitorMark, owner)
    }

    /// Returns the session if the owner is a session or a visitor; `nil` if the owner is a user.
    package static func session(of owner: String) -> String? {
        owner.utf8.first == userMark ? nil : visitorSession(of: owner) ?? owner
    }

    /// Returns true if the owner is a session, and neither a user nor a visitor.
    static func isSession(_ owner: String) -> Bool {
        let first = owner.utf8.first
        return first != userMark && first != visitorMark
    }

    private static func withoutMark(_ mark: UInt8, _ owner: String) -> String? {
        // Compares bytes, because a mark with a combining mark behind it is a different
        // `Character`.
        guard owner.utf8.first == mark else { return nil }
        return String(owner[owner.utf8.index(after: owner.startIndex)...])
    }
}

extension SliceOwnership {
    /// Returns the owner whose slices a client's actions change; `nil` if all clients share the
    /// slices.
    package func owner(of principal: @autoclosure () -> String?, in session: String?) -> String? {
        switch self {
        case .everybody, .readers, .keyedBySession: nil
        case .session: session ?? SessionName.shared
        case .principal: OwnerName.ofClient(as: principal(), in: session)
        }
    }
}

/// The client on whose behalf a state is read: its session, and its name as a user or a visitor.
/// The type is a class, so that each slice stores only a reference to the reader.
package final class SliceReader: Sendable {
    let session: String
    /// The user or the visitor whose slices the reader gets.
    let owner: String

    package init(as principal: String?, in session: String?) {
        self.session = session ?? SessionName.shared
        owner = OwnerName.ofClient(as: principal, in: session)
    }

    /// Makes the reader of a session's slices and of an owner's slices.
    package init(session: String, owner: String) {
        self.session = session
        self.owner = owner
    }
}
