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
/// the same value. The table stores a value for a session from the session's first change to its
/// end. So there are at most as many values as sessions.
///
/// On the wire, a client gets only the value of its own session. A snapshot of the state has an
/// object with a member for each session.
///
/// Cost: with n values, a look-up or a change takes log2(n) steps. The size of the other values
/// does not matter.
public struct PerSession<Value: Codable & Equatable & Sendable>: Equatable, Sendable {
    fileprivate var firstValueEntry: ValueTable<Value>.Entry
    fileprivate var table = ValueTable<Value>()
    private var reader: ReadingSession?

    /// Makes a table without values; every session begins with `first`.
    public init(_ first: Value) { self.firstValueEntry = ValueTable.Entry(first) }

    /// The value of the session on whose behalf the state is read.
    ///
    /// A view is read for the session of the client that asks for the view. Middleware,
    /// interceptors, observers and reactions read for the session of the client that sent the
    /// action. Without a session, the state is read for the session `shared`.
    public var value: Value {
        get { self[reader?.session ?? SessionName.shared] }
        set { self[reader?.session ?? SessionName.shared] = newValue }
    }

    /// The value of a session: the common first value, until the session changes it.
    public subscript(session: String) -> Value {
        get { table[session, default: firstValueEntry.value] }
        set { table[session] = newValue }
    }

    /// The sessions that have a stored value of their own, sorted.
    public var sessions: [String] { table.names }

    /// Returns true if the first values are equal, and all sessions have equal values. The
    /// comparison skips values that both tables share.
    public static func == (a: PerSession, b: PerSession) -> Bool {
        (a.firstValueEntry === b.firstValueEntry
            || a.firstValueEntry.value == b.firstValueEntry.value) && a.table == b.table
    }
}

extension PerSession where Value: ExpressibleByNilLiteral {
    /// Makes a table in which no session has started a slice.
    public init() { self.init(nil) }
}

extension PerSession {
    /// Makes a table in which no session has an instance.
    public init<State>() where Value == Instances<State> { self.init(Instances()) }
}

extension PerSession {
    /// Sets the value of a session. If `value` is `nil`, the session goes back to the first value.
    /// If `session` is `nil`, sets the first value, with which every session begins.
    mutating func set(_ value: Value?, for session: String?) {
        guard let session else {
            if let value { firstValueEntry = ValueTable.Entry(value) }
            return
        }
        table[session] = value
    }

    /// Removes the value of a session that ends. Returns true if the session had a stored value.
    mutating func removeValue(of session: String) -> Bool {
        defer { table[session] = nil }
        return hasOwnValue(of: session)
    }

    /// Returns the value of a session; for `nil`, the value that every session begins with.
    func read(_ session: String?) -> Value { session.map { self[$0] } ?? firstValueEntry.value }

    /// Makes ``value`` the value of this reader's session.
    mutating func setReader(_ reader: ReadingSession) { self.reader = reader }

    /// Replaces all values by the values of a snapshot.
    mutating func replaceValues(with values: [ExactText: Value]) { table = ValueTable(values) }
}

extension PerSession {
    /// Restores the value that every session begins with, after a function of the whole state ran.
    /// The value comes from `given`: the table before the function ran, with the copies that the
    /// store has updated.
    ///
    /// - Throws: ``WholeStateError/beginning(_:)`` if the function changed the value. A reset to
    ///   the program's first value, in `initial`, is not an error.
    mutating func restoreFirstValue(of given: PerSession, orOf initial: PerSession) throws {
        guard firstValueEntry !== given.firstValueEntry else { return }
        guard
            firstValueEntry.value == given.firstValueEntry.value
                || firstValueEntry.value == initial.firstValueEntry.value
        else {
            throw WholeStateError.changedFirstValue("\(Value.self)")
        }
        firstValueEntry = given.firstValueEntry
    }

    /// Returns true if the value that every session begins with has other bytes than before.
    func isFirstValueChanged(since old: PerSession, _ comparison: ByteComparison?) -> Bool {
        firstValueEntry !== old.firstValueEntry
            && differs(old.firstValueEntry.value, firstValueEntry.value, comparison)
    }

    /// Normalizes the writes of a function of the whole state; `old` has the values before the
    /// action. Returns the sessions whose values changed.
    ///
    /// If the function removed the value of an open session, the session gets the first value
    /// again. If the function removed the value of an ended session, the session counts as changed
    /// in any case. If the function wrote the first value for a session without a stored value,
    /// this method removes that value.
    mutating func normalizeWrites(
        after old: PerSession,
        _ comparison: ByteComparison?,
        isOver: (String) -> Bool
    ) -> [(session: String, old: Value, new: Value)] {
        reader = old.reader
        var changed: [(session: String, old: Value, new: Value)] = []
        for (session, value) in table.differences(from: old.table) {
            let before = old[session]
            let after = value ?? firstValueEntry.value
            let isGone = value == nil && isOver(session)
            if value == nil, !isGone { self[session] = after }
            if isGone || differs(before, after, comparison) {
                changed.append((session, before, after))
            } else if !old.hasOwnValue(of: session) {
                table[session] = nil
            }
        }
        return changed
    }
}

/// The session on whose behalf a state is read. The type is a class, so that each slice stores only
/// a reference to the reader.
package final class ReadingSession: Sendable {
    let session: String

    package init(_ session: String) { self.session = session }
}

/// A ``PerSession`` without the type of its values.
package protocol SessionValues: Encodable, Sendable {
    /// Returns the value of a session; for `nil`, the value that every session begins with. For an
    /// absent slice, returns `nil`.
    func value(of session: String?) -> (any Encodable & Sendable)?

    /// The sessions that have values of their own.
    var sessions: [String] { get }

    /// Returns true if a session has a value of its own.
    func hasOwnValue(of session: String) -> Bool

    /// Returns the sessions whose values differ from an earlier version. `isFirst` is true if the
    /// value that every session begins with differs. If `old` is not a version of these values,
    /// returns all sessions, and `isFirst` is true.
    func changes(since old: (any SessionValues)?) -> (sessions: [String], isFirst: Bool)
}

extension PerSession: SessionValues {
    /// Writes an object with a member for each session that has changed its value.
    public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }

    package func value(of session: String?) -> (any Encodable & Sendable)? {
        let value = read(session)
        if let optional = value as? any PossiblyAbsent, optional.isAbsent { return nil }
        return value
    }

    package func hasOwnValue(of session: String) -> Bool { table.has(session) }

    package func changes(since old: (any SessionValues)?) -> (sessions: [String], isFirst: Bool) {
        guard let old = old as? PerSession else { return (sessions, true) }
        return (table.names(changedSince: old.table), firstValueEntry !== old.firstValueEntry)
    }
}

/// A value that may be `nil`.
private protocol PossiblyAbsent {
    var isAbsent: Bool { get }
}

extension Optional: PossiblyAbsent {
    fileprivate var isAbsent: Bool {
        if case .none = self { true } else { false }
    }
}
