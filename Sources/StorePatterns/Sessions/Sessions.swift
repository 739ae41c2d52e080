public import StoreCore

/// The conversations that clients have with the store, and what each of them is shown: a slice of
/// the state, so that routes are journaled, replayed and streamed like all else.
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
/// On the wire the slice is an object with a member for each session, of which a client gets its
/// own. The names are no credentials.
public struct Sessions: EffectfulModule {
    /// The route of each session.
    public struct State: ModuleState {
        /// A session as it was put in its place.
        fileprivate final class Entry: Sendable {
            let session: Session

            init(_ session: Session) { self.session = session }
        }

        fileprivate var table = SortedTable<Entry>()

        /// Begins with the shared session alone.
        public init() { table[Sessions.shared] = Entry(Session()) }

        /// The session of a name, where there is one.
        public subscript(name: String) -> Session? { table[name]?.session }

        /// The sessions by name, ``Sessions/shared`` among them. Cost: one step for each.
        public var sessions: [String: Session] {
            var sessions: [String: Session] = Dictionary(minimumCapacity: table.count)
            for (name, entry) in table { sessions[name] = entry.session }
            return sessions
        }

        /// Reads an object of sessions.
        public init(from decoder: any Decoder) throws {
            let sessions = try decoder.singleValueContainer().decode([ExactText: Session].self)
            table = SortedTable(
                sorted: sessions.map { ($0.key.text, Entry($0.value)) }
                    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            )
        }

        /// Writes an object of sessions.
        public func encode(to encoder: any Encoder) throws {
            var sessions: [ExactText: Session] = Dictionary(minimumCapacity: table.count)
            for (name, entry) in table { sessions[ExactText(name)] = entry.session }
            var container = encoder.singleValueContainer()
            try container.encode(sessions)
        }

        /// Whether both have equal sessions under the same names. What both share is not looked at.
        public static func == (a: State, b: State) -> Bool {
            var isEqual = a.table.count == b.table.count
            guard isEqual else { return false }
            a.table.forEachDifference(from: b.table) { _, mine, theirs in
                isEqual = mine != nil && mine?.session == theirs?.session
                return isEqual
            }
            return isEqual
        }
    }

    /// One client's conversation.
    public struct Session: Codable, Equatable, Sendable {
        /// What is presented, the lowest first.
        public fileprivate(set) var route: [PresentedView] = []

        /// Whether a view is presented.
        public func shows(_ view: String) -> Bool {
            route.contains { $0.view.isSame(as: view) }
        }
    }

    /// What a server and presenters dispatch.
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
        /// What a view showed is gone: it is removed from the routes of these sessions, of all
        /// where they are left out.
        case withdrawn(view: String, sessions: [String]? = nil)
    }

    /// The name of the session of all clients that began none.
    public static let shared = SessionName.shared

    /// Makes the module.
    public init() {}

    /// Never refused: a session that has ended meanwhile is passed over. What works for a session
    /// ends with it.
    public func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .began(let session):
            state.change([session], or: Session()) { _ in }
        case .ended(let session):
            state.end(session)
            return Effect(.endSession(session))
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
                guard let last = session.route.lastIndex(where: { $0.view.isSame(as: view) }) else {
                    return
                }
                session.route.removeSubrange((last + 1)...)
            }
        case .withdrawn(let view, let sessions):
            state.change(sessions ?? state.names) { session in
                session.route.removeAll { $0.view.isSame(as: view) }
            }
        }
        return .none
    }
}

extension Sessions.State {
    fileprivate mutating func change(
        _ names: [String],
        or new: Sessions.Session? = nil,
        _ change: (inout Sessions.Session) -> Void
    ) {
        for name in names {
            let old = self[name]
            guard var session = old ?? new else { continue }
            change(&session)
            if session != old { table[name] = Entry(session) }
        }
    }

    fileprivate var names: [String] { table.map(\.key) }

    fileprivate mutating func end(_ name: String) {
        if name != Sessions.shared { table[name] = nil }
    }
}

extension Sessions.State: SessionRegister {
    package func isOpen(_ session: String) -> Bool { self[session] != nil }
}

extension Sessions.State: PiecewiseState {
    package static var pieceForm: PieceForm { .objectOfSessions }

    package var pieces: [(key: String, value: any Encodable & Sendable)] {
        table.map { ($0.key, $0.value.session) }
    }

    package func pieces(
        changedSince old: Sessions.State
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        table.differences(from: old.table).map { ($0.key, $0.value?.session) }
    }
}

extension Sessions.Internal: SessionAction {
    package var endedSession: String? {
        if case .ended(let session) = self { session } else { nil }
    }

    package var namedSessions: [String]? {
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
        at place: SlicePlace<Root, State>,
        _ dependencies: Dependencies
    ) -> any RootPresentation<Root> {
        SessionPresentation(
            of: modules,
            at: place,
            RouteWatch { try await dependencies.clock.sleep(for: $0) }
        )
    }
}
