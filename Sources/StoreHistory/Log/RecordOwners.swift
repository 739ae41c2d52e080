package import StoreActionCatalog
package import StoreCore
package import StoreEventStream
import StoreTexts

/// Who may read the records of the log: whose each is, and which module it is about.
///
/// Where no module has slices of sessions, all are shared. Else what changes a slice that is
/// shared, or the whole state, is shared, and all other records are their session's: also those
/// that change nothing.
package struct RecordOwners: Sendable {
    /// `nil` where all may read all records.
    private let actions: ActionTable?
    /// The modules whose slices are shared.
    private let shared: Set<String>
    private let hasSessions: Bool

    /// Those of a state of these modules; roles that do not see all of them differ, too.
    package init(
        _ actions: ActionTable,
        _ modules: [(name: String, ownership: SliceOwnership)],
        hasRoles: Bool = false
    ) {
        hasSessions = modules.contains { $0.ownership != .everybody }
        self.actions = hasSessions || hasRoles ? actions : nil
        shared = Set(modules.filter { $0.ownership == .everybody }.map(\.name))
    }

    /// All records are read by all.
    package static let everybody = RecordOwners()

    private init() {
        actions = nil
        shared = []
        hasSessions = false
    }

    /// Who may read a record.
    package func owner(of record: Record) -> RecordOwner {
        guard let actions else { return RecordOwner() }
        let action = actions[record.type]
        let isOfWholeState = action?.entry.isOfWholeState == true
        let module = isOfWholeState ? nil : action?.module
        let isShared = !hasSessions || isOfWholeState || module.map(shared.contains) == true
        return RecordOwner(
            session: isShared ? nil : ExactText(record.session ?? SessionName.shared),
            module: module
        )
    }

    /// Whether a viewer may read a record.
    package func isVisible(_ record: Record, to viewer: Viewer) -> Bool {
        viewer.seesAll || owner(of: record).isVisible(to: viewer)
    }

    /// Whether some records are not read by all.
    package var differ: Bool { actions != nil }
}
