/// A value for each session: a member of a root state that gives each client a slice of its own.
///
/// ```swift
/// struct AppState: RootState {
///     var counter = Counter.State()
///     var login = PerSession(Login.State())
///     var home = PerSession<Home.State?>()
///     var cards = PerSession<Instances<Card.State>>()
/// }
/// ```
///
/// An action changes the value of the session that dispatched the action. Every session begins with
/// the same value. The table stores a value for a session from the session's first change until the
/// session ends. So there are at most as many values as sessions.
///
/// On the wire, a client gets only the value of its own session. A snapshot of the state has an
/// object with a member for each session.
///
/// Cost: with n values, a look-up or a change takes log2(n) steps. The size of the other values
/// does not matter.
public struct PerSession<Value: Codable & Equatable & Sendable>: Equatable, Sendable {
    package var ownedTable: OwnedTable<Value>

    /// Makes a table without values; every session begins with `first`.
    public init(_ first: Value) { ownedTable = OwnedTable(first) }

    /// The value of the session on whose behalf the state is read.
    ///
    /// For a view, this session is the session of the client that asks for the view. For
    /// middleware, interceptors, observers and reactions, this session is the session of the
    /// action's sender. Without a session, the state is read for the session `shared`.
    public var value: Value {
        get { self[ownedTable.reader?.session ?? SessionName.shared] }
        set { self[ownedTable.reader?.session ?? SessionName.shared] = newValue }
    }

    /// The value of a session: the common first value, until the session changes it.
    public subscript(session: String) -> Value {
        get { ownedTable[session] }
        set { ownedTable[session] = newValue }
    }

    /// The sessions that have a stored value of their own, sorted.
    public var sessions: [String] { ownedTable.owners }
}

extension PerSession where Value: ExpressibleByNilLiteral {
    /// Makes a table in which no session has started a slice.
    public init() { self.init(nil) }
}

extension PerSession {
    /// Makes a table in which no session has an instance.
    public init<State>() where Value == Instances<State> { self.init(Instances()) }
}

extension PerSession: OwnedMember {
    package static var ownership: SliceOwnership { .session }

    /// Writes an object with a member for each session that has changed its value.
    public func encode(to encoder: any Encoder) throws { try ownedTable.encode(to: encoder) }
}
