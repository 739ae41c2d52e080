public import StoreCore

/// The sessions of clients, each with its route. The sessions are a slice of the state, so they are
/// journaled, replayed and streamed like all other slices.
///
/// A root state that mounts this module has sessions:
///
/// ```swift
/// var sessions = Sessions.State()
///
/// static let modules: Modules = [
///     Home().at(\.home).presented(by: HomePresenter()),
///     Sessions().at(\.sessions),
/// ]
/// ```
///
/// On the wire, the slice is an object with a member for each session. A client gets only the
/// member of its own session. The name of a session is not a credential.
public struct Sessions: EffectfulModule {
    /// The sessions by name, each with its route.
    public struct State: ModuleState {
        package fileprivate(set) var table = ValueTable<Session>()

        /// Makes a state with only the shared session.
        public init() { table[Sessions.shared] = Session() }

        /// The session with this name; `nil` if there is no such session.
        public subscript(name: String) -> Session? { table[name] }

        /// The sessions by name, ``Sessions/shared`` among them. Cost: linear in the number of
        /// sessions.
        public var sessions: [String: Session] {
            Dictionary(table.members.map { ($0.key, $0.value) }) { _, last in last }
        }

        /// Reads an object of sessions.
        public init(from decoder: any Decoder) throws { table = try ValueTable(from: decoder) }

        /// Writes an object of sessions.
        public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }
    }

    /// The session of one client.
    public struct Session: Codable, Equatable, Sendable {
        /// The presented views, the lowest first.
        public fileprivate(set) var route: [PresentedView] = []

        /// Returns true if a view is presented.
        public func shows(_ view: String) -> Bool { route.contains { $0.view.isSame(as: view) } }
    }

    /// The actions that the server and presenters dispatch.
    public enum Internal: ModuleAction {
        /// A client has begun a session.
        case began(session: String)
        /// A session has ended; its effects are cancelled.
        case ended(session: String)
        /// A view is put on top, or replaces all other views if the style is `root`. A view that is
        /// already presented keeps its position.
        case presented(view: String, style: PresentationStyle, sessions: [String])
        /// The topmost view of this style is removed, with all views of other styles above it.
        case dismissed(style: PresentationStyle, sessions: [String])
        /// All views above a view are removed. Nothing changes if the view is not presented.
        case dismissedUntil(view: String, sessions: [String])
        /// The content of a view is gone. The view is removed from the routes of these sessions, or
        /// from all routes if `sessions` is `nil`.
        case withdrawn(view: String, sessions: [String]? = nil)
    }

    /// The name of the session that all clients without a session of their own share.
    public static let shared = SessionName.shared

    /// Makes the module.
    public init() {}

    /// Changes the routes, and refuses no action. If a session that an action names has ended
    /// before the action is reduced, the action does not change that session. The end of a session
    /// cancels the session's effects.
    public func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .began(let session): state.change([session], orAdd: Session()) { _ in }
        case .ended(let session):
            if session != Sessions.shared { state.table[session] = nil }
            return Effect(.endSession(session))
        case .presented(let view, let style, let sessions):
            state.change(sessions) { session in
                guard !session.shows(view) else { return }
                if style == .root { session.route = [] }
                session.route.append(PresentedView(view: view, style: style))
            }
        case .dismissed(let style, let sessions):
            state.change(sessions) { session in
                if let top = session.route.lastIndex(where: { $0.style == style }) {
                    session.route.removeSubrange(top...)
                }
            }
        case .dismissedUntil(let view, let sessions):
            state.change(sessions) { session in
                if let last = session.route.lastIndex(where: { $0.view.isSame(as: view) }) {
                    session.route.removeSubrange((last + 1)...)
                }
            }
        case .withdrawn(let view, let sessions):
            state.change(sessions ?? state.table.names) { session in
                session.route.removeAll { $0.view.isSame(as: view) }
            }
        }
        return .none
    }
}

extension Sessions.State {
    fileprivate mutating func change(
        _ names: [String],
        orAdd new: Sessions.Session? = nil,
        _ change: (inout Sessions.Session) -> Void
    ) {
        for name in names {
            let old = self[name]
            guard var session = old ?? new else { continue }
            change(&session)
            if session != old { table[name] = session }
        }
    }
}

extension Sessions.State: SessionRegister {
    package func isOpen(_ session: String) -> Bool { self[session] != nil }
}

extension Sessions.State: PiecewiseState {
    package static var pieceLayout: PieceLayout { .objectBySession }
}

extension Sessions.Internal: SessionAction {
    package var endedOwners: [String] {
        endedSession.map { [$0, OwnerName.visitor($0)] } ?? []
    }

    package var endedSession: String? {
        if case .ended(let session) = self { session } else { nil }
    }

    package var reroutedSessions: [String]? {
        switch self {
        case .began, .ended: nil
        case .presented(_, _, let sessions), .dismissed(_, let sessions),
            .dismissedUntil(_, let sessions):
            sessions
        case .withdrawn(_, let sessions): sessions
        }
    }
}

extension Sessions: PresentingModule {
    package func presentation<Root: RootState>(
        of modules: Root.Modules,
        at place: SinglePlace<Root, State>,
        _ dependencies: Dependencies
    ) -> any RootPresentation<Root> {
        SessionPresentation(
            of: modules,
            at: place,
            RouteWatch { try await dependencies.clock.sleep(for: $0) }
        )
    }
}

/// A view on a route.
public struct PresentedView: Codable, Equatable, Sendable {
    /// The name of the view.
    public let view: String
    /// The style in which the view is presented.
    public let style: PresentationStyle

    /// Makes a view of a route.
    public init(view: String, style: PresentationStyle) {
        self.view = view
        self.style = style
    }
}

extension PresentedView {
    /// Returns the name of the view of an instance: `cards/7`.
    static func instanceViewName(_ view: String, of instance: String) -> String {
        view + "/" + instance
    }
}

/// The style in which a view is presented.
public enum PresentationStyle: String, Codable, Sendable {
    /// The view is on top of a stack of views.
    case push
    /// The view covers all other views until it is dismissed.
    case modal
    /// The view replaces all other views.
    case root
}
