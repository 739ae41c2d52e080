/// A value for each session: the member of a root state where each client has a slice of its own.
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
/// An action changes the value of the session that it comes from. Every session begins with the
/// same value, and has one in the table from the first change to the end of the session. So there
/// are at most as many as there are sessions.
///
/// On the wire, a client gets the value of its own session in the place of all. Where the state is
/// kept, there is an object with a member for each session.
///
/// Cost: a look-up or a change takes log2(count) steps, however large the other values are.
public struct PerSession<Value: Codable & Equatable & Sendable>: Equatable, Sendable {
    /// A value as it was put in its place.
    fileprivate final class Entry: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    fileprivate var first: Entry
    fileprivate var entries = SortedTable<Entry>()
    private var reader: SessionReader?

    /// Begins without any; each session begins with this value.
    public init(_ first: Value) {
        self.first = Entry(first)
    }

    /// The value of the session on whose behalf the state is read: in a view, of the client that
    /// asks; in middleware, interceptors, observers and reactions, of the client whose action it
    /// is. Where no session is behind it, that of the session `shared`.
    public var value: Value {
        get { self[reader?.session ?? SessionName.shared] }
        set { self[reader?.session ?? SessionName.shared] = newValue }
    }

    /// The value of a session, which need not have changed it yet.
    public subscript(session: String) -> Value {
        get { entries[session]?.value ?? first.value }
        set { entries[session] = Entry(newValue) }
    }

    /// The sessions that have changed their value, sorted.
    public var sessions: [String] { entries.map(\.key) }

    /// Whether all sessions have equal values. What both share is not looked at.
    public static func == (a: PerSession, b: PerSession) -> Bool {
        var isEqual = a.first === b.first || a.first.value == b.first.value
        guard isEqual, a.entries.count == b.entries.count else { return false }
        a.entries.forEachDifference(from: b.entries) { _, mine, theirs in
            isEqual = mine != nil && mine?.value == theirs?.value
            return isEqual
        }
        return isEqual
    }
}

extension PerSession where Value: ExpressibleByNilLiteral {
    /// Begins without any.
    public init() { self.init(nil) }
}

extension PerSession {
    /// Begins without any.
    public init<State>() where Value == Instances<State> { self.init(Instances()) }
}

extension PerSession {
    /// Whether a session has changed its value.
    func has(_ session: String) -> Bool { entries[session] != nil }

    /// Gives a session a value; `nil` takes its value out, so that it has what all begin with.
    /// Without a session, that is what is set.
    mutating func set(_ value: Value?, for session: String?) {
        guard let session else {
            if let value { first = Entry(value) }
            return
        }
        entries[session] = value.map { Entry($0) }
    }

    /// Takes out the value of a session that ends. Returns whether there was one.
    mutating func end(_ session: String) -> Bool {
        guard has(session) else { return false }
        entries[session] = nil
        return true
    }

    /// The value of a session; of none, what all begin with.
    func read(_ session: String?) -> Value {
        session.map { self[$0] } ?? first.value
    }

    /// From now on ``value`` is that of this reader.
    mutating func show(to reader: SessionReader) {
        self.reader = reader
    }

    /// Takes the values of sessions from where they are kept.
    mutating func take(_ values: [ExactText: Value]) {
        entries = SortedTable(
            sorted: values.sorted { $0.key < $1.key }.map { ($0.key.text, Entry($0.value)) }
        )
    }

    /// The values by session, as they are kept.
    var kept: [ExactText: Value] {
        var values: [ExactText: Value] = Dictionary(minimumCapacity: entries.count)
        for (session, entry) in entries { values[ExactText(session)] = entry.value }
        return values
    }

    /// The sessions whose values another version has otherwise, and whether all sessions begin with
    /// something else.
    func changes(since old: PerSession) -> (sessions: [String], isFirst: Bool) {
        (entries.differences(from: old.entries).map(\.key), first !== old.first)
    }
}

extension PerSession {
    /// Takes what all begin with from `given`, whatever a function of the whole state has put
    /// there: it is the program's, and what the store itself has copied into it.
    ///
    /// - Throws: ``WholeStateError/beginning(_:)`` where that is neither what was there nor what
    ///   the program began with.
    mutating func keepFirst(of given: PerSession, orOf initial: PerSession) throws {
        guard first !== given.first else { return }
        guard first.value == given.first.value || first.value == initial.first.value else {
            throw WholeStateError.beginning("\(Value.self)")
        }
        first = given.first
    }

    /// Whether all begin with something else than before.
    func isFirstChanged(since old: PerSession, _ comparison: ByteComparison?) -> Bool {
        first !== old.first && differs(old.first.value, first.value, comparison)
    }

    /// What a function of the whole state has made of the values is put in order, where `old` is
    /// what was there before. Returns the sessions whose values are not as they were.
    ///
    /// A session whose value was taken out begins anew, unless it is over: then it is not as it
    /// was, whatever its value. One that wrote what it had without a value of its own gets none.
    mutating func settle(
        after old: PerSession,
        _ comparison: ByteComparison?,
        isOver: (String) -> Bool
    ) -> [(session: String, old: Value, new: Value)] {
        reader = old.reader
        var changed: [(session: String, old: Value, new: Value)] = []
        for (session, entry) in entries.differences(from: old.entries) {
            let before = old[session]
            let after = entry?.value ?? first.value
            let isGone = entry == nil && isOver(session)
            if entry == nil, !isGone { self[session] = after }
            if isGone || differs(before, after, comparison) {
                changed.append((session, before, after))
            } else if !old.has(session) {
                entries[session] = nil
            }
        }
        return changed
    }
}

/// On whose behalf a state is read. An object, so that it costs one reference in each slice.
package final class SessionReader: Sendable {
    let session: String

    package init(_ session: String) {
        self.session = session
    }
}
