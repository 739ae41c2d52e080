public import StoreCore
import StoreJSON

/// The places at which sessions are now, such as the boards that users look at. Each visit has the
/// time of arrival, and a detail such as a cursor. A session may be at several places, for instance
/// in two tabs.
///
/// A root state mounts this module beside `Sessions` and `Schedule`, in a store that keeps its
/// history in memory:
///
/// ```swift
/// struct Cursor: Codable, Equatable { var x = 0.0, y = 0.0 }
///
/// struct Live: RootState {
///     var whereabouts = Whereabouts<Cursor>.State()
///     var sessions = Sessions.State()
///     var schedule = Schedule.State()
///
///     static let modules: Modules = [
///         Whereabouts<Cursor>().at(\.whereabouts), Sessions().at(\.sessions),
///         Schedule().at(\.schedule),
///     ]
/// }
///
/// Server(Boards.self).store(Server(Live.self).ephemeral(), named: "live").main()
/// ```
///
/// A visit ends by the action `left`, when the session's last stream in this store ends, or when
/// the session ends. A visit also ends if the session dispatches no action for the place within
/// ``silence``.
///
/// On the wire, the slice is an object with a member for each place. The member is an object with a
/// visit for each session. All clients that see the slice see all visits. The name of a session is
/// not a credential.
public struct Whereabouts<Detail: Codable & Equatable & Sendable>: ContextualModule,
    DepartureModule
{
    /// The visits, by place and session.
    public struct State: ModuleState {
        package private(set) var table = ValueTable<Place>()
        /// The places of each session, so that a departure finds the visits of its session.
        private var placesBySession = ValueTable<[String]>()

        /// Makes a state without visits.
        public init() {}

        /// Makes a state with these visits, by place and session, for a test.
        public init(_ visits: [String: [String: Visit]]) {
            for (place, visits) in visits.sorted(by: { $0.key < $1.key }) {
                for (session, visit) in visits { set(visit, of: session, at: place) }
            }
        }

        /// The places at which sessions are, sorted.
        public var places: [String] { table.names }

        /// The number of sessions with at least one visit.
        public var sessionsCount: Int { placesBySession.count }

        /// The visits at a place, by session.
        public subscript(place: String) -> [String: Visit] {
            Dictionary(table[place]?.visits.members.map { ($0.key, $0.value) } ?? []) { $1 }
        }

        /// Returns the places at which a session is, in the order of their first visits.
        public func places(of session: String) -> [String] { placesBySession[session] ?? [] }

        /// Returns the visit of a session at a place; `nil` if the session is not there.
        public func visit(of session: String, at place: String) -> Visit? {
            table[place]?.visits[session]
        }

        fileprivate mutating func set(_ visit: Visit, of session: String, at place: String) {
            var visits = table[place] ?? Place()
            if visits.visits[session] == nil {
                placesBySession[session] = places(of: session) + [place]
            }
            visits.visits[session] = visit
            table[place] = visits
        }

        fileprivate mutating func remove(_ session: String, from place: String) {
            guard var visits = table[place], visits.visits[session] != nil else { return }
            visits.visits[session] = nil
            table[place] = visits.visits.count > 0 ? visits : nil
            let others = places(of: session).filter { !$0.isSame(as: place) }
            placesBySession[session] = others.isEmpty ? nil : others
        }

        /// Reads an object of places.
        public init(from decoder: any Decoder) throws {
            table = try ValueTable(from: decoder)
            for (place, visits) in table.members {
                for session in visits.visits.names {
                    placesBySession[session] = places(of: session) + [place]
                }
            }
        }

        /// Writes an object of places.
        public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }
    }

    /// The visits at one place.
    package struct Place: ModuleState {
        fileprivate(set) var visits = ValueTable<Visit>()

        fileprivate init() {}

        package init(from decoder: any Decoder) throws { visits = try ValueTable(from: decoder) }

        package func encode(to encoder: any Encoder) throws { try visits.encode(to: encoder) }
    }

    /// The stay of a session at a place.
    public struct Visit: ModuleState {
        /// The name of the principal; `nil` for a visitor.
        public let principal: String?
        /// The time of the arrival, in milliseconds since 1970.
        public let since: Int64
        /// The detail that the client has given last, such as its cursor.
        public internal(set) var detail: Detail?

        /// Makes a visit, for a test.
        public init(principal: String? = nil, since: Int64, detail: Detail? = nil) {
            self.principal = principal
            self.since = since
            self.detail = detail
        }
    }

    /// The actions of clients. Each action for a place restarts the time ``Whereabouts/silence``.
    public enum Action: ModuleAction {
        /// The session is at a place. A second `entered` for the place replaces the detail.
        case entered(place: String, detail: Detail? = nil)
        /// The detail of a visit has changed.
        case moved(place: String, detail: Detail)
        /// The session is still at a place.
        case stayed(place: String)
        /// The session has left a place.
        case left(place: String)
    }

    /// The actions of timers and of the store.
    public enum Internal: ModuleAction {
        /// The session has dispatched no action for a place within ``Whereabouts/silence``.
        case fellSilent(session: String, place: String)
        /// The session has closed its last stream in this store, or has ended.
        case departed
    }

    /// The slice's name.
    public static var name: String { "whereabouts" }

    /// The maximum size of the text of a place, in bytes.
    public static var placeBytesMax: Int { 80 }
    /// The maximum size of a detail as JSON, in bytes.
    public static var detailBytesMax: Int { 1_024 }
    /// The maximum number of places at which one session is.
    public static var placesMax: Int { 8 }
    /// The maximum number of sessions with at least one visit.
    public static var sessionsMax: Int { 10_000 }

    /// The time without an action after which a visit ends.
    public let silence: Duration

    /// Makes the module. A client has to dispatch an action for each of its places several times
    /// within `silence`.
    public init(silence: Duration = .seconds(30)) { self.silence = silence }

    /// The action for a session that has departed.
    public var departure: Internal { .departed }

    /// Begins, changes or ends a visit. Refuses a client without a session, a visit beyond a bound,
    /// and a change of a visit that has ended.
    public func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        let session = context.session
        guard session != Sessions.shared else {
            throw Refusal.forbidden(
                "Only a session can be at a place; begin a session with POST /sessions."
            )
        }
        switch action {
        case .entered(let place, let detail):
            try check(detail)
            let known = state.visit(of: session, at: place)
            if known == nil { try checkRoom(at: place, for: session, in: state) }
            let since = known?.since ?? context.time / 1_000_000
            let visit = Visit(principal: context.principal?.name, since: since, detail: detail)
            state.set(visit, of: session, at: place)
            return timer(of: session, at: place)
        case .moved(let place, let detail):
            try check(detail)
            var visit = try visit(of: session, at: place, in: state)
            visit.detail = detail
            state.set(visit, of: session, at: place)
            return timer(of: session, at: place)
        case .stayed(let place):
            _ = try visit(of: session, at: place, in: state)
            return timer(of: session, at: place)
        case .left(let place):
            state.remove(session, from: place)
            return .cancel(id: timerID(of: session, at: place))
        }
    }

    /// Ends the visits of a session that has fallen silent or has departed.
    public func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .fellSilent(let session, let place):
            state.remove(session, from: place)
            return .none
        case .departed:
            let session = context.session
            let places = state.places(of: session)
            for place in places { state.remove(session, from: place) }
            return Effect(.merge(places.map { .cancel(id: timerID(of: session, at: $0)) }))
        }
    }

    private func visit(of session: String, at place: String, in state: State) throws(Refusal)
        -> Visit
    {
        guard let visit = state.visit(of: session, at: place) else {
            throw Refusal(
                reason: "The session is not at '\(place)', or was silent for "
                    + "\(silence.components.seconds) seconds; dispatch 'entered'.",
                pointer: "/place"
            )
        }
        return visit
    }

    private func checkRoom(at place: String, for session: String, in state: State) throws(Refusal) {
        guard 1...Self.placeBytesMax ~= place.utf8.count else {
            throw Refusal(
                reason: "A place must have 1 to \(Self.placeBytesMax) bytes.",
                pointer: "/place"
            )
        }
        let places = state.places(of: session)
        guard places.count < Self.placesMax else {
            throw Refusal(reason: "A session may be at \(Self.placesMax) places at most.")
        }
        guard !places.isEmpty || state.sessionsCount < Self.sessionsMax else {
            throw Refusal(
                reason: "\(Self.sessionsMax) sessions are at places already, the maximum."
            )
        }
    }

    private func check(_ detail: Detail?) throws {
        guard let detail else { return }
        let count = try JSONEncoder().encode(detail).count
        guard count <= Self.detailBytesMax else {
            throw Refusal(
                reason: "A detail may have at most \(Self.detailBytesMax) bytes as JSON; this "
                    + "detail has \(count).",
                pointer: "/detail"
            )
        }
    }

    private func timer(of session: String, at place: String) -> Effect<State> {
        .after(
            silence,
            id: timerID(of: session, at: place),
            Internal.fellSilent(session: session, place: place)
        )
    }

    private func timerID(of session: String, at place: String) -> String { session + " " + place }
}

extension Whereabouts.State: PiecewiseState {
    package static var pieceLayout: PieceLayout { .object }
}
