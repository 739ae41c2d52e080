import StoreTexts

/// The principal that dispatched an action: a name and a role, as the policy of the server has
/// them.
///
/// A journal keeps it as one text, ``description``, such as `author/ada`.
public struct ActionPrincipal: Sendable, LosslessStringConvertible {
    /// The role, a slash and the name: the text that a journal keeps.
    public let description: String

    /// Makes the principal of a role and a name.
    ///
    /// - Parameters:
    ///   - name: the name of the principal, as `$principal` in a policy compares it.
    ///   - role: the name of its role, which has no slash.
    public init(name: String, role: String) {
        description = "\(role)/\(name)"
    }

    /// Reads the text that a journal keeps. A text without a slash is a name without a role.
    public init(_ description: String) {
        self.description = description
    }

    /// The name of the principal, as `$principal` in a policy compares it.
    public var name: String {
        guard let slash else { return description }
        return String(description[description.utf8.index(after: slash)...])
    }

    /// The name of its role; `nil` for a record that has none.
    public var role: String? { slash.map { String(description[..<$0]) } }

    // Bytes are looked at: with a combining mark behind it, the slash is another character.
    private var slash: String.Index? { description.utf8.firstIndex(of: UInt8(ascii: "/")) }
}

extension ActionPrincipal: Hashable {
    /// Returns whether both have the same bytes.
    public static func == (left: ActionPrincipal, right: ActionPrincipal) -> Bool {
        left.description.isSame(as: right.description)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(description))
    }
}
