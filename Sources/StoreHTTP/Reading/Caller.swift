import StoreCore
import Texts

/// On whose behalf something is read.
///
/// Where sessions have slices of their own, a caller sees those of its session in the place of all.
/// An authenticated principal will stand here, too.
package struct Caller: Sendable {
    /// The client's session; `nil` for a client without one.
    let session: String?
    /// Whether it sees what all sessions have.
    let isOperator: Bool

    init(session: String?, isOperator: Bool = false) {
        self.session = session
        self.isOperator = isOperator
    }

    /// The program itself, and who operates it.
    package static let `operator` = Caller(session: nil, isOperator: true)

    /// As which session it sees the state; `nil` for all of it.
    var viewer: String? { isOperator ? nil : session ?? SessionName.shared }

    /// Whether it sees what a session has; `nil` is what is shared.
    func sees(_ session: String?) -> Bool {
        guard let session, let viewer else { return true }
        return session.isSame(as: viewer)
    }

    /// Whether it is a client of this session; `nil` is for clients without one.
    func isSession(_ other: String?) -> Bool {
        guard let session, let other else { return session == nil && other == nil }
        return session.isSame(as: other)
    }

    /// The same, as topics have it.
    var reader: ExactText? { viewer.map { ExactText($0) } }
}
