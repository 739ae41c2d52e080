package import StoreCore
import StoreTexts
package import StoreWire

/// The client or program on whose behalf the state is read.
///
/// If sessions or users have slices of their own, a caller sees only the slices of its session and
/// its user. A role may hide further members of the state.
///
/// The type is a class, so that a request copies only a reference. All callers without a session
/// and without an identity share one object.
package final class Caller: Sendable {
    /// The client's session; `nil` for a client without a session.
    package let session: String?
    /// True if the caller sees the slices of all sessions.
    package let isOperator: Bool
    /// The identity of the caller; `nil` on a server without access control.
    package let identity: Identity?
    /// The viewer that limits the state to the part that the caller sees.
    package let viewer: Viewer

    package convenience init(session: String?, isOperator: Bool = false, identity: Identity? = nil)
    {
        let own = isOperator ? nil : ExactText(session ?? SessionName.shared)
        let owner =
            isOperator ? nil : ExactText(OwnerName.ofClient(as: identity?.name, in: session))
        let role = isOperator ? nil : identity?.recordedPrincipal?.role.map { ExactText($0) }
        let viewer = Viewer(session: own, owner: owner, role: role, sight: identity?.sight)
        self.init(session, isOperator, identity, viewer)
    }

    private init(_ session: String?, _ isOperator: Bool, _ identity: Identity?, _ viewer: Viewer) {
        self.session = session
        self.isOperator = isOperator
        self.identity = identity
        self.viewer = viewer
    }

    /// A client without a session, on a server without access control.
    package static let anyone = Caller(session: nil)

    /// The program itself, or its operator.
    package static let `operator` = Caller(session: nil, isOperator: true)

    /// The same caller without the limits of its role. The server uses this caller for resources
    /// that are granted as a whole: a view, or the screens of the caller's session.
    package var withFullSight: Caller {
        guard viewer.sight != nil else { return self }
        return Caller(
            session,
            isOperator,
            identity,
            Viewer(session: viewer.session, owner: viewer.owner, role: viewer.role)
        )
    }

    /// The function that returns true if the caller sees the module at an index; `nil` if the
    /// caller sees all modules.
    package var seesModuleAtIndex: (@Sendable (Int) -> Bool)? { viewer.sight?.seesMemberAtIndex }

    /// True if the caller sees the data of this owner, a session or a user. If `owner` is `nil`,
    /// all clients share the data, and the result is true.
    package func sees(owner: String?) -> Bool {
        guard let owner, let session = viewer.session else { return true }
        return owner.isSame(as: session.text) || viewer.owner?.text.isSame(as: owner) == true
    }

    /// The principal as records have it; `nil` for a client without a credential.
    package var recordedPrincipal: ActionPrincipal? { identity?.recordedPrincipal }

    /// The owner of the caller's idempotency keys: its principal, or else its session.
    package var idempotencyKeyOwner: String? { identity?.name.map { "@" + $0 } ?? session }

    /// True if the caller is a client of this session. If `other` is `nil`, the result is true for
    /// a caller without a session.
    package func isClient(ofSession other: String?) -> Bool {
        guard let session, let other else { return session == nil && other == nil }
        return session.isSame(as: other)
    }
}
