import StoreCore

/// The sender of an action in a test: a principal and a session.
struct TestSender: Sendable {
    /// The role and the name of a sender without a principal.
    static let anonymous = "anonymous"

    /// The principal, as records have it; `nil` for a client without a credential.
    let principal: ActionPrincipal?
    /// The session's name; `nil` for a client without one.
    let session: String?
    /// The principal's role.
    let role: String
    /// The principal's name.
    let name: String

    /// - Parameters:
    ///   - principal: the role, a slash and the name, such as `author/u1`.
    ///   - session: the session's name.
    /// - Throws: ``Refusal`` if the principal has another form.
    init(_ principal: String?, _ session: String?) throws(Refusal) {
        self.session = session
        self.principal = principal.map { ActionPrincipal($0) }
        guard let principal = self.principal else {
            (role, name) = (Self.anonymous, Self.anonymous)
            return
        }
        guard let role = principal.role, !role.isEmpty, !principal.name.isEmpty else {
            throw Refusal(reason: Self.wrong(principal.description))
        }
        (self.role, name) = (role, principal.name)
    }

    private static func wrong(_ principal: String) -> String {
        "'\(principal)' is no principal; allowed is ROLE/NAME, such as author/u1."
    }
}
