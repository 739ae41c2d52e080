package import StoreActionCatalog
package import StoreCore
package import StoreWire

/// The rules that decide if a viewer may read a record of the log, by the owner and the module of
/// the record.
///
/// If no module has slices of sessions, all records are shared. Otherwise a record is shared if its
/// action changes a shared slice or the whole state. All other records belong to their sessions,
/// even if they change nothing.
package struct RecordVisibility: Sendable {
    /// The actions of the program; `nil` if every reader may read all records.
    private let actions: ActionTable?
    /// The names of the modules whose slices are shared.
    private let sharedModules: Set<String>
    private let hasSessions: Bool

    /// Makes the rules for a state of these modules. `hasRoles` is true if the sight of a
    /// role may lack modules.
    package init(
        _ actions: ActionTable?,
        _ modules: [(name: String, ownership: SliceOwnership)],
        hasRoles: Bool = false
    ) {
        hasSessions = modules.contains { $0.ownership != .everybody }
        self.actions = hasSessions || hasRoles ? actions : nil
        sharedModules = Set(modules.filter { $0.ownership == .everybody }.map(\.name))
    }

    /// The rule of a store in which every reader may read all records.
    package static let unrestricted = RecordVisibility(nil, [])

    /// Returns the owner of a record.
    package func owner(of record: Record) -> RecordOwner {
        guard let actions else { return RecordOwner() }
        let action = actions[record.type]
        let isOfWholeState = action?.entry.isOfWholeState == true
        let module = isOfWholeState ? nil : action?.module
        let isShared = !hasSessions || isOfWholeState || module.map(sharedModules.contains) == true
        let session = isShared ? nil : ExactText(record.session ?? SessionName.shared)
        return RecordOwner(session: session, module: module)
    }

    /// Returns true if a viewer may read a record.
    package func isVisible(_ record: Record, to viewer: Viewer) -> Bool {
        viewer.seesAll || owner(of: record).isVisible(to: viewer)
    }

    /// True if some readers may not read all records.
    package var hasRestrictions: Bool { actions != nil }
}
