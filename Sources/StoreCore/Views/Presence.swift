/// The views that sessions show, as a slice of the state. If a server is killed, the next start
/// finds the open views here and ends them.
///
/// A root state mounts it if one of its modules is a ``VisibleModule`` with an action for both
/// changes of its view:
///
/// ```swift
/// var presence = Presence.State()
///
/// static let modules: Modules = [
///     Page().at(\.page),
///     Presence().at(\.presence),
/// ]
/// ```
///
/// A view is entered in the same step as the action that reports it. On the wire the slice is an
/// object with a list of slices for each session that has shown any. A client gets the list of its
/// own session.
public struct Presence: Module {
    /// The slices that each session shows.
    public struct State: ModuleState {
        /// The slices of one session, sorted.
        private final class Shown: Sendable {
            let slices: [String]

            init(_ slices: [String]) { self.slices = slices }
        }

        private var table = SortedTable<Shown>()

        /// Begins without any view.
        public init() {}

        /// Reads an object of lists.
        public init(from decoder: any Decoder) throws {
            let lists = try decoder.singleValueContainer().decode([ExactText: [String]].self)
            table = SortedTable(
                sorted: lists.map { ($0.key.text, Shown($0.value)) }
                    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            )
        }

        /// Writes an object of lists.
        public func encode(to encoder: any Encoder) throws {
            var lists: [ExactText: [String]] = Dictionary(minimumCapacity: table.count)
            for (session, shown) in table { lists[ExactText(session)] = shown.slices }
            var container = encoder.singleValueContainer()
            try container.encode(lists)
        }

        /// The slices that a session shows, as `page` or `cards/7`.
        public subscript(session: String) -> [String] { table[session]?.slices ?? [] }

        /// The sessions that show views. Cost: one step for each session that has shown any.
        public var sessions: [String] { table.filter { !$0.value.slices.isEmpty }.map(\.key) }

        /// True if a session shows a slice.
        public func shows(_ slice: String, in session: String) -> Bool {
            self[session].contains { $0.isSame(as: slice) }
        }

        /// True if both have equal lists under the same names. Lists that both share are skipped.
        public static func == (a: State, b: State) -> Bool {
            var isEqual = a.table.count == b.table.count
            guard isEqual else { return false }
            a.table.forEachDifference(from: b.table) { _, mine, theirs in
                isEqual = mine != nil && mine?.slices == theirs?.slices
                return isEqual
            }
            return isEqual
        }

        package mutating func enter(_ slice: String, in session: String) {
            guard !shows(slice, in: session) else { return }
            let slices = self[session]
            let place = slices.firstIndex { slice.utf8.lexicographicallyPrecedes($0.utf8) }
            var changed = slices
            changed.insert(slice, at: place ?? slices.endIndex)
            table[session] = Shown(changed)
        }

        /// Removes a slice from a session's list. An empty list stays as long as the session is
        /// open, so that its reader gets the change after any pause. The empty list of an ended
        /// session is removed.
        package mutating func remove(_ slice: String, in session: String, isOver: Bool = false) {
            remove(in: session, isOver: isOver) { $0.isSame(as: slice) }
        }

        /// Removes a slice from all lists. Cost: one step for each session.
        package mutating func remove(_ slice: String, isOver: (String) -> Bool = { _ in false }) {
            for session in sessions { remove(slice, in: session, isOver: isOver(session)) }
        }

        mutating func remove(in session: String, isOver: Bool, if isRemoved: (String) -> Bool) {
            guard let shown = table[session] else { return }
            let kept = shown.slices.filter { !isRemoved($0) }
            if isOver, kept.isEmpty { return table[session] = nil }
            if kept.count < shown.slices.count { table[session] = Shown(kept) }
        }
    }

    /// The actions that a server dispatches at its start.
    public enum Internal: ModuleAction {
        /// A slice that a session showed is gone from the program, and so is its view.
        case gone(slice: String, session: String)
    }

    /// The slice's name.
    public static let name = "presence"

    /// Makes the module.
    public init() {}

    /// Removes a view.
    public func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .gone(let slice, let session): state.remove(slice, in: session)
        }
    }
}

extension Presence.State: KeyedState {
    package static var pieceForm: PieceForm { .objectOfSessions }

    package var pieces: [(key: String, value: any Encodable & Sendable)] {
        table.map { ($0.key, $0.value.slices) }
    }

    package func pieces(
        changedSince old: Presence.State
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        table.differences(from: old.table).map { ($0.key, $0.value?.slices) }
    }
}
