import StoreTexts

/// The principal that dispatched an action: a name and a role of the server's policy.
///
/// A journal stores the principal as one text, ``description``, such as `author/ada`.
public struct ActionPrincipal: Sendable, LosslessStringConvertible {
    /// The role, a slash and the name: the text that a journal stores.
    public let description: String

    /// Makes the principal from a name and a role.
    ///
    /// - Parameters:
    ///   - name: the name of the principal, which `$principal` stands for in a policy.
    ///   - role: the name of the role, without a slash.
    public init(name: String, role: String) { description = "\(role)/\(name)" }

    /// Reads the text that a journal stores. A text without a slash is a name without a role.
    public init(_ description: String) { self.description = description }

    /// The name of the principal. In a policy, `$principal` stands for this name.
    public var name: String {
        guard let slashIndex else { return description }
        return String(description[description.utf8.index(after: slashIndex)...])
    }

    /// The name of the role; `nil` if the text has no role.
    public var role: String? { slashIndex.map { String(description[..<$0]) } }

    // Compares bytes, because a slash with a combining mark behind it is a different `Character`.
    private var slashIndex: String.Index? { description.utf8.firstIndex(of: UInt8(ascii: "/")) }
}

extension ActionPrincipal: Hashable {
    /// True if both principals have the same bytes.
    public static func == (left: ActionPrincipal, right: ActionPrincipal) -> Bool {
        left.description.isSame(as: right.description)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(description)) }
}
