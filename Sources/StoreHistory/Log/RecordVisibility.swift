package import StoreActionCatalog
package import StoreCore
package import StoreWire

/// The rules that decide if a viewer may read a record of the log, by the owner and the module of
/// the record.
///
/// If no module has slices of sessions or users, all records are shared. Otherwise a record is
/// shared if its action changes a shared slice or the whole state. All other records belong to
/// their sessions or users, even if they change nothing.
package struct RecordVisibility: Sendable {
    /// The actions of the program; `nil` if every viewer may read all records.
    private let actions: ActionTable?
    /// The owners of the slices of each module.
    private let ownershipByModule: [String: SliceOwnership]
    private let hasOwners: Bool

    /// Makes the rules for a state of these modules. `hasRoles` is true if the sight of a
    /// role may lack modules.
    package init(
        _ actions: ActionTable?,
        _ modules: [(name: String, ownership: SliceOwnership)],
        hasRoles: Bool = false
    ) {
        hasOwners = modules.contains { $0.ownership != .everybody }
        self.actions = hasOwners || hasRoles ? actions : nil
        ownershipByModule = Dictionary(modules.map { ($0.name, $0.ownership) }) { first, _ in first
        }
    }

    /// The rules of a store in which every viewer may read all records.
    package static let unrestricted = RecordVisibility(nil, [])

    /// Returns the owner of a record.
    package func owner(of record: Record) -> RecordOwner {
        guard let actions else { return RecordOwner() }
        let action = actions[record.type]
        let isOfWholeState = action?.entry.isOfWholeState == true
        let module = isOfWholeState ? nil : action?.module
        guard hasOwners, !isOfWholeState else { return RecordOwner(module: module) }
        let owner: String? =
            switch module.flatMap({ ownershipByModule[$0] }) {
            case .everybody?: nil
            case .principal?: OwnerName.ofClient(as: record.principal?.name, in: record.session)
            case .session?, .keyedBySession?, nil: record.session ?? SessionName.shared
            }
        return RecordOwner(owner: owner.map { ExactText($0) }, module: module)
    }

    /// Returns true if a viewer may read a record.
    package func isVisible(_ record: Record, to viewer: Viewer) -> Bool {
        viewer.seesAll || owner(of: record).isVisible(to: viewer)
    }

    /// True if there may be records that some viewers are not allowed to read.
    package var hasRestrictions: Bool { actions != nil }
}
