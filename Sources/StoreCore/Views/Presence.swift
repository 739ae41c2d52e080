/// The views that sessions show, as a slice of the state. If a server is killed, the next start
/// finds the open views in this slice, and ends the views.
///
/// A root state mounts this module beside each ``VisibleModule`` that has actions for both changes
/// of visibility:
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
/// An action that shows or hides a view also changes this slice, in the same version. On the wire,
/// the slice is an object with a member for each session that has shown views. The member is the
/// list of the slices that the session shows. A client gets the list of its own session.
public struct Presence: Module {
    /// The slices that each session shows.
    public struct State: ModuleState {
        /// For each session, the sorted paths of the slices that the session shows.
        package private(set) var table = ValueTable<[String]>()

        /// Makes a state without views.
        public init() {}

        /// Reads an object with a list for each session.
        public init(from decoder: any Decoder) throws { table = try ValueTable(from: decoder) }

        /// Writes an object with a list for each session.
        public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }

        /// The paths of the slices that a session shows, such as `page` or `cards/7`.
        public subscript(session: String) -> [String] { table[session] ?? [] }

        /// The sessions that show views. Cost: linear in the number of sessions that have shown a
        /// view.
        public var sessions: [String] { table.members.filter { !$0.value.isEmpty }.map(\.key) }

        /// Returns true if a session shows a slice.
        public func shows(_ slice: String, in session: String) -> Bool {
            self[session].contains { $0.isSame(as: slice) }
        }

        package mutating func insert(_ slice: String, in session: String) {
            guard !shows(slice, in: session) else { return }
            var slices = self[session]
            let place = slices.firstIndex { slice.utf8.lexicographicallyPrecedes($0.utf8) }
            slices.insert(slice, at: place ?? slices.endIndex)
            table[session] = slices
        }

        /// Removes a slice from a session's list. An empty list stays until the session ends, so
        /// that the session's client gets the change even after a pause. The empty list of an ended
        /// session is removed.
        package mutating func remove(
            _ slice: String,
            in session: String,
            hasSessionEnded: Bool = false
        ) {
            remove(in: session, hasSessionEnded: hasSessionEnded) { $0.isSame(as: slice) }
        }

        /// Removes a slice from all lists. Cost: linear in the number of sessions.
        package mutating func remove(
            _ slice: String,
            hasSessionEnded: (String) -> Bool = { _ in false }
        ) {
            for session in sessions {
                remove(slice, in: session, hasSessionEnded: hasSessionEnded(session))
            }
        }

        mutating func remove(
            in session: String,
            hasSessionEnded: Bool,
            if isRemoved: (String) -> Bool
        ) {
            guard let shown = table[session] else { return }
            let kept = shown.filter { !isRemoved($0) }
            if hasSessionEnded, kept.isEmpty { return table[session] = nil }
            if kept.count < shown.count { table[session] = kept }
        }
    }

    /// The actions that a server dispatches at its start.
    public enum Internal: ModuleAction {
        /// The program does not have this slice any more, so the session does not show the slice.
        case gone(slice: String, session: String)
    }

    /// The slice's name.
    public static let name = "presence"

    /// Makes the module.
    public init() {}

    /// Removes the action's slice from the list of the action's session.
    public func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .gone(let slice, let session): state.remove(slice, in: session)
        }
    }
}

extension Presence.State: PiecewiseState {
    package static var pieceLayout: PieceLayout { .objectBySession }
}
