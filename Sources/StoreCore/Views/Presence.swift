/// The views that sessions show, as a slice of the state. If a server is killed, the next start
/// finds the open views here and ends them.
///
/// A root state mounts this module beside a ``VisibleModule`` whose view has both actions, for its
/// begin and its end:
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
        /// The slices of each session, sorted.
        package private(set) var table = ValueTable<[String]>()

        /// Begins without any view.
        public init() {}

        /// Reads an object of lists.
        public init(from decoder: any Decoder) throws { table = try ValueTable(from: decoder) }

        /// Writes an object of lists.
        public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }

        /// The slices that a session shows, as `page` or `cards/7`.
        public subscript(session: String) -> [String] { table[session] ?? [] }

        /// The sessions that show views. Cost: one step for each session that has shown any.
        public var sessions: [String] { table.members.filter { !$0.value.isEmpty }.map(\.key) }

        /// True if a session shows a slice.
        public func shows(_ slice: String, in session: String) -> Bool {
            self[session].contains { $0.isSame(as: slice) }
        }

        package mutating func enter(_ slice: String, in session: String) {
            guard !shows(slice, in: session) else { return }
            var slices = self[session]
            let place = slices.firstIndex { slice.utf8.lexicographicallyPrecedes($0.utf8) }
            slices.insert(slice, at: place ?? slices.endIndex)
            table[session] = slices
        }

        /// Removes a slice from a session's list. An empty list stays until the session ends, so
        /// that the session's client gets the change even after a pause. The empty list of an ended
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
            let kept = shown.filter { !isRemoved($0) }
            if isOver, kept.isEmpty { return table[session] = nil }
            if kept.count < shown.count { table[session] = kept }
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
}
