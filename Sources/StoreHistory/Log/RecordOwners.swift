package import ActionCatalog
package import StoreCore
import Texts

/// Whose the records of the log are: shared, or those of the session that they came from.
///
/// Where no module has slices of sessions, all are shared. Else what changes a slice that is
/// shared, or the whole state, is shared, and all other records are their session's: also those
/// that change nothing.
package struct RecordOwners: Sendable {
    /// `nil` where all records are shared.
    private let actions: ActionTable?
    /// The modules whose slices are shared.
    private let shared: Set<String>

    package init(_ actions: ActionTable, _ modules: [(name: String, ownership: SliceOwnership)]) {
        let hasSessions = modules.contains { $0.ownership != .everybody }
        self.actions = hasSessions ? actions : nil
        shared = Set(modules.filter { $0.ownership == .everybody }.map(\.name))
    }

    /// All records are shared.
    package static let everybody = RecordOwners()

    private init() {
        actions = nil
        shared = []
    }

    /// The session whose record it is; `nil` where it is shared.
    package func owner(of record: Record) -> ExactText? {
        guard let actions else { return nil }
        if let action = actions[record.type] {
            if action.entry.isOfWholeState { return nil }
            if let module = action.module, shared.contains(module) { return nil }
        }
        return ExactText(record.session ?? SessionName.shared)
    }

    /// Whether a session may read a record; without a session, all of them.
    package func isVisible(_ record: Record, to session: String?) -> Bool {
        guard let session, let owner = owner(of: record) else { return true }
        return owner == ExactText(session)
    }

    /// Whether some records are not shared.
    package var hasSessions: Bool { actions != nil }
}
