import StoreCore

/// Who sends an action in a test: a principal and a session.
struct TestSender: Sendable {
    /// The role and the name of who shows nothing.
    static let anonymous = "anonymous"

    /// The principal, as records have it: `author/u1`; `nil` for a client that shows nothing.
    let principal: String?
    /// The session's name; `nil` for a client without one.
    let session: String?
    /// The principal's role.
    let role: String
    /// The principal's name.
    let name: String

    /// - Parameters:
    ///   - principal: the role, a slash and the name, such as `author/u1`.
    ///   - session: the session's name.
    /// - Throws: ``Refusal`` where the principal is not written so.
    init(_ principal: String?, _ session: String?) throws(Refusal) {
        self.session = session
        self.principal = principal
        guard let principal else {
            (role, name) = (Self.anonymous, Self.anonymous)
            return
        }
        // Bytes are looked at: with a combining mark behind it, the slash is another character.
        guard let slash = principal.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            throw Refusal(reason: Self.wrong(principal))
        }
        role = String(principal[..<slash])
        name = String(principal[principal.utf8.index(after: slash)...])
        guard !role.isEmpty, !name.isEmpty else { throw Refusal(reason: Self.wrong(principal)) }
    }

    private static func wrong(_ principal: String) -> String {
        "'\(principal)' is no principal; allowed is ROLE/NAME, such as author/u1."
    }
}
