import StoreCore
import StoreEventStream
import StoreTexts

/// On whose behalf something is read.
///
/// Where sessions have slices of their own, a caller sees those of its session in the place of all.
/// A role narrows that to the members that it may read.
///
/// An object, so that a request copies a reference; those without a session and a policy are one.
package final class Caller: Sendable {
    /// The client's session; `nil` for a client without one.
    let session: String?
    /// Whether it sees what all sessions have.
    let isOperator: Bool
    /// Who it is; `nil` where that makes no difference.
    let identity: Identity?
    /// As whom it sees the state.
    let viewer: Viewer

    convenience init(session: String?, isOperator: Bool = false, identity: Identity? = nil) {
        let own = isOperator ? nil : ExactText(session ?? SessionName.shared)
        self.init(session, isOperator, identity, Viewer(session: own, sight: identity?.sight))
    }

    private init(_ session: String?, _ isOperator: Bool, _ identity: Identity?, _ viewer: Viewer) {
        self.session = session
        self.isOperator = isOperator
        self.identity = identity
        self.viewer = viewer
    }

    /// A client without a session, where there is no policy.
    package static let anyone = Caller(session: nil)

    /// The program itself, and who operates it.
    package static let `operator` = Caller(session: nil, isOperator: true)

    /// The same where something is granted as it is: a view, or the screens of the caller's own
    /// session.
    var withoutSight: Caller {
        guard viewer.sight != nil else { return self }
        return Caller(session, isOperator, identity, Viewer(session: viewer.session))
    }

    /// Whether it sees the module at a place; `nil` where it sees all of them.
    var moduleSight: (@Sendable (Int) -> Bool)? { viewer.sight?.seesPlace }

    /// Whether it sees what a session has; `nil` is what is shared.
    func sees(_ session: String?) -> Bool {
        guard let session, let own = viewer.session else { return true }
        return session.isSame(as: own.text)
    }

    /// The principal as records have it; `nil` for a client that shows no credential.
    var stamp: ActionPrincipal? { identity?.stamp }

    /// Who has the idempotency keys of its requests: a principal, or else a session.
    var keyOwner: String? { identity?.name.map { "@" + $0 } ?? session }

    /// Whether it is a client of this session; `nil` is for clients without one.
    func isSession(_ other: String?) -> Bool {
        guard let session, let other else { return session == nil && other == nil }
        return session.isSame(as: other)
    }
}
