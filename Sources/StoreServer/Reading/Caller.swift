/// On whose behalf something is read.
///
/// Every caller may read the whole state today. A projection for each session, or for each principal, has
/// its place in ``StateReader``, which is given this with each question.
struct Caller: Sendable {
    /// The client's session; `nil` for a client without one.
    let session: String?
    /// The authenticated principal; there is no authentication, so it is `nil`.
    let principal: String?

    init(session: String? = nil, principal: String? = nil) {
        self.session = session
        self.principal = principal
    }

    /// A client that shows nothing about itself.
    static let anonymous = Caller()
}
