/// The conversations that clients have with the store, and what each of them is shown: a slice of the
/// state, so that routes are journaled, replayed and streamed like all else.
///
/// A root state that mounts it has sessions:
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
/// On the wire the slice is an object with a member for each session. Its names tell nobody how to act
/// as that session.
public struct Sessions: Module {
    /// The route of each session.
    public struct State: ModuleState {
        /// The sessions by name, ``Sessions/shared`` among them.
        public private(set) var sessions: [String: Session] = [Sessions.shared: Session()]

        /// Begins with the shared session alone.
        public init() {}

        /// The session of a name, where there is one.
        public subscript(name: String) -> Session? { sessions[name] }

        /// Reads an object of sessions.
        public init(from decoder: any Decoder) throws {
            sessions = try decoder.singleValueContainer().decode([String: Session].self)
        }

        /// Writes an object of sessions.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(sessions)
        }
    }

    /// One client's conversation.
    public struct Session: Codable, Equatable, Sendable {
        /// What is presented, the lowest first.
        public fileprivate(set) var route: [PresentedView] = []

        /// Whether a view is presented.
        public func shows(_ view: String) -> Bool {
            route.contains { $0.view == view }
        }
    }

    /// What a server and presenters say.
    public enum Internal: ModuleAction {
        /// A client has begun a session.
        case began(session: String)
        /// A session has ended; whatever works for it is cancelled.
        case ended(session: String)
        /// A view is put on top. One that is presented already stays where it is.
        case presented(view: String, style: PresentationStyle, sessions: [String])
        /// The topmost view of this style is taken away, with all above it.
        case dismissed(style: PresentationStyle, sessions: [String])
        /// All above a view is taken away; nothing where it is not presented.
        case dismissedUntil(view: String, sessions: [String])
        /// What a view showed is gone: it is taken off every route.
        case withdrawn(view: String)
    }

    /// The name of the session that everybody has who began none.
    public static let shared = "shared"

    /// Makes the module.
    public init() {}

    /// Never refused: a session that has ended meanwhile is passed over.
    public func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .began(let session):
            state.change([session], or: Session()) { _ in }
        case .ended(let session):
            state.end(session)
        case .presented(let view, let style, let sessions):
            state.change(sessions) { session in
                guard !session.shows(view) else { return }
                if style == .root { session.route = [] }
                session.route.append(PresentedView(view: view, style: style))
            }
        case .dismissed(let style, let sessions):
            state.change(sessions) { session in
                guard let top = session.route.lastIndex(where: { $0.style == style }) else {
                    return
                }
                session.route.removeSubrange(top...)
            }
        case .dismissedUntil(let view, let sessions):
            state.change(sessions) { session in
                guard let last = session.route.lastIndex(where: { $0.view == view }) else { return }
                session.route.removeSubrange((last + 1)...)
            }
        case .withdrawn(let view):
            state.changeAll { session in session.route.removeAll { $0.view == view } }
        }
    }

    /// What works for a session ends with it.
    public func effect(afterInternal action: Internal, in state: State) -> Effect<State> {
        switch action {
        case .ended(let session): Effect(.endSession(session))
        default: .none
        }
    }
}

extension Sessions.State {
    fileprivate mutating func change(
        _ names: [String],
        or new: Sessions.Session? = nil,
        _ change: (inout Sessions.Session) -> Void
    ) {
        for name in names {
            guard var session = sessions[name] ?? new else { continue }
            change(&session)
            sessions[name] = session
        }
    }

    fileprivate mutating func changeAll(_ change: (inout Sessions.Session) -> Void) {
        self.change(Array(sessions.keys), change)
    }

    fileprivate mutating func end(_ name: String) {
        if name != Sessions.shared { sessions[name] = nil }
    }
}

/// A view on a route.
public struct PresentedView: Codable, Equatable, Sendable {
    /// Its name.
    public let view: String
    /// How it came there.
    public let style: PresentationStyle

    /// Names a view, and how it is presented.
    public init(view: String, style: PresentationStyle) {
        self.view = view
        self.style = style
    }
}

/// How a view is presented.
public enum PresentationStyle: String, Codable, Sendable {
    /// On top of a stack.
    case push
    /// Before all else, until it is dismissed.
    case modal
    /// In place of all else.
    case root
}
