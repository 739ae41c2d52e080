import EventStream
import StoreCore
import Texts

/// On whose behalf something is read.
///
/// Where sessions have slices of their own, a caller sees those of its session in the place of all.
/// A role narrows that to the members that it may read.
package struct Caller: Sendable {
    /// The client's session; `nil` for a client without one.
    let session: String?
    /// Whether it sees what all sessions have.
    let isOperator: Bool
    /// Who it is; `nil` where that makes no difference.
    let identity: Identity?
    /// Whether it sees what its role sees, and not all.
    private var hasSight = true

    init(session: String?, isOperator: Bool = false, identity: Identity? = nil) {
        self.session = session
        self.isOperator = isOperator
        self.identity = identity
    }

    /// As whom it sees the state: made when it is asked for, so that a copy of the caller is small.
    var viewer: Viewer {
        Viewer(
            session: isOperator ? nil : ExactText(session ?? SessionName.shared),
            sight: hasSight ? identity?.sight : nil
        )
    }

    /// The same where something is granted as it is: a view, or the screens of the caller's own
    /// session.
    var withoutSight: Caller {
        var caller = self
        caller.hasSight = false
        return caller
    }

    /// The program itself, and who operates it.
    package static let `operator` = Caller(session: nil, isOperator: true)

    /// Whether it sees what a session has; `nil` is what is shared.
    func sees(_ session: String?) -> Bool {
        guard let session, let own = viewer.session else { return true }
        return session.isSame(as: own.text)
    }

    /// As records have who it is; `nil` for those who show nothing.
    var stamp: String? { identity?.stamp }

    /// Who has the idempotency keys of its requests: a principal, or else a session.
    var keyOwner: String? { identity?.name.map { "@" + $0 } ?? session }

    /// Whether it is a client of this session; `nil` is for clients without one.
    func isSession(_ other: String?) -> Bool {
        guard let session, let other else { return session == nil && other == nil }
        return session.isSame(as: other)
    }
}
